import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { describeFault } from './describe-fault.ts'
import {
  engineTargets,
  type Fault,
  serviceTargets,
  type Target,
  workersNames,
} from './plan-faults.ts'
import { projectRoles } from './plan-load.ts'
import { planRoundFaults, planRoundLoad } from './run-round.ts'

const rounds = Array.from({ length: 200 }, (_, index) => index + 1)

test('a seed and a round determine the bytes and the schedule', () => {
  const first = digestOf(7, 3)
  expect(digestOf(7, 3)).toBe(first)
  expect(digestOf(7, 4)).not.toBe(first)
  expect(digestOf(8, 3)).not.toBe(first)
})

test('no two projects share an event, within a round or between rounds', () => {
  const runIds = [1, 2, 3].flatMap((round) => {
    const { projects } = planRoundLoad(1, round)
    return projectRoles.map((role) => projects[role].runId)
  })
  expect(new Set(runIds).size).toBe(9)
})

test('no process is started by two faults of one round, and every fault begins while load is sent', () => {
  for (const round of rounds) {
    const faults = planRoundFaults(2, round)
    const started = faults.flatMap((fault) => startedBy(fault))
    expect(new Set(started).size, faults.map(describeFault).join('\n')).toBe(started.length)
    expect(faults.length).toBeGreaterThan(0)
    for (const { atMs } of faults) expect(atMs).toBeLessThan(3_000)
  }
})

test('200 rounds contain every kind of fault', () => {
  const faults = rounds.flatMap((round) => planRoundFaults(3, round))
  const kinds = new Set(faults.map(({ kind }) => kind))
  expect([...kinds].sort()).toEqual([
    'alert_failpoint',
    'failpoint',
    'forget',
    'kill',
    'link',
    'lose_planned',
    'lose_stream',
    'pause',
    'receiver',
    'restart',
    'restore_postgres',
    'rewind',
  ])
  const killed = faults.flatMap((fault) => (fault.kind === 'kill' ? [fault.target] : []))
  expect(new Set(killed)).toEqual(new Set<Target>([...serviceTargets, ...engineTargets]))
})

test('every request is an envelope with exactly the events that are planned for it', () => {
  for (const request of planRoundLoad(5, 1).requests) {
    const { body, gzip, events, spoiled, sessions, transactions } = request
    const text = (gzip ? gunzipSync(body) : body).toString()
    expect(text.match(/^\{"type":"event"/gm)?.length ?? 0).toBe(events.length + spoiled)
    expect(text.match(/^\{"type":"sessions"/gm)?.length ?? 0).toBe(sessions)
    expect(text.match(/^\{"type":"transaction"/gm)?.length ?? 0).toBe(transactions)
  }
})

function digestOf(seed: number, round: number): string {
  const hash = createHash('sha256')
  const { requests, ...rest } = planRoundLoad(seed, round)
  for (const { body, ...request } of requests) hash.update(body).update(JSON.stringify(request))
  hash.update(JSON.stringify([rest, planRoundFaults(seed, round)]))
  return hash.digest('hex')
}

function startedBy(fault: Fault): Target[] {
  switch (fault.kind) {
    case 'kill':
    case 'pause':
    case 'restart':
    case 'failpoint':
      return [fault.target]
    case 'rewind':
    case 'lose_stream':
      return ['nats']
    case 'lose_planned':
      return [...workersNames, 'nats']
    case 'alert_failpoint':
      return [...workersNames]
    case 'restore_postgres':
      return fault.workersAreKilled ? ['postgres', ...workersNames] : ['postgres']
    case 'link':
    case 'receiver':
    case 'forget':
      return []
  }
}
