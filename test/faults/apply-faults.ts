/**
 * Applies a schedule of faults to the running processes. A fault that fails, because an earlier
 * fault is still in effect, is reported and skipped.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { type Failpoint, formatFailpoints } from '#platform/failpoint.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { describeFault } from './describe-fault.ts'
import type { FaultStack } from './fault-stack.ts'
import { forgetMessages, loseStream, rewindBroker } from './losses/lose-messages.ts'
import { type ReconcileTally, restoreOlderPostgres } from './losses/restore-postgres.ts'
import { type Fault, type ServiceTarget, workersNames } from './plan-faults.ts'
import { isStopped } from './process-tree.ts'

/**
 * Returns one sentence for each fault that failed, and for each restore. A failpoint that is not
 * reached within `loadMs` is given up, because the load ends then.
 */
export async function applyFaults(
  stack: FaultStack,
  faults: readonly Fault[],
  { loadMs, tally }: { readonly loadMs: number; readonly tally: ReconcileTally },
): Promise<string[]> {
  const notes: string[] = []
  const startedAtMs = systemClock.monotonicMs()
  await Promise.all(
    faults.map(async (fault) => {
      await sleep(Math.max(0, fault.atMs - (systemClock.monotonicMs() - startedAtMs)))
      try {
        const said = await applyFault(stack, fault, {
          deadlineMs: startedAtMs + loadMs + graceMs,
          tally,
        })
        if (said !== undefined) notes.push(`${describeFault(fault).trim()}: ${said}`)
      } catch (error) {
        const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
        notes.push(`${describeFault(fault).trim()}: ${reason}`)
      }
    }),
  )
  return notes
}

async function applyFault(
  stack: FaultStack,
  fault: Fault,
  { deadlineMs, tally }: { readonly deadlineMs: number; readonly tally: ReconcileTally },
): Promise<string | undefined> {
  switch (fault.kind) {
    case 'kill':
      await stack.kill(fault.target)
      await sleep(fault.downMs)
      await stack.start(fault.target)
      break
    case 'pause':
      stack.signal(fault.target, 'SIGSTOP')
      await sleep(fault.forMs)
      stack.signal(fault.target, 'SIGCONT')
      break
    case 'restart':
      await stack.restart(fault.target)
      break
    case 'failpoint':
      await applyFailpoint(stack, fault, deadlineMs)
      break
    case 'alert_failpoint':
      await applyAlertFailpoint(stack, fault, deadlineMs + alertGraceMs)
      break
    case 'link': {
      const link = stack.link(fault.from, fault.to)
      link.trouble(fault.trouble)
      await sleep(fault.forMs)
      link.heal()
      break
    }
    case 'forget':
      await forgetMessages(stack, fault.messages)
      break
    case 'rewind':
      await rewindBroker(stack, fault.forMs)
      break
    case 'lose_stream':
      await loseStream(stack)
      break
    case 'lose_planned':
      await losePlanned(stack, fault, deadlineMs)
      break
    case 'receiver':
      stack.receiver.goAway()
      await sleep(fault.forMs)
      stack.receiver.comeBack()
      break
    case 'restore_postgres':
      return restoreOlderPostgres(stack, fault, tally)
  }
  return undefined
}

const lookEveryMs = 25
/** Time in which requests that are still in flight are answered. */
const graceMs = 1_000
/** Time in which what the load has caused is told. */
const alertGraceMs = 6_000

/** Starts the process with its failpoint and waits until it acts, during the start or later. */
async function applyFailpoint(
  stack: FaultStack,
  { target, point, forMs }: Extract<Fault, { kind: 'failpoint' }>,
  deadlineMs: number,
): Promise<void> {
  const acted = await startAndAct(stack, target, point, deadlineMs)
  if (acted === 'not reached') return
  await sleep(forMs)
  if (acted === 'dead') await stack.start(target)
  else stack.signal(target, 'SIGCONT')
}

async function applyAlertFailpoint(
  stack: FaultStack,
  { target, point, forMs }: Extract<Fault, { kind: 'alert_failpoint' }>,
  deadlineMs: number,
): Promise<void> {
  const others = workersNames.filter((name) => name !== target)
  await Promise.all(others.map((name) => stack.kill(name)))
  const acted = await startAndAct(stack, target, point, deadlineMs)
  // The others go on with what the target has begun.
  await Promise.all(others.map((name) => stack.start(name)))
  if (acted === 'not reached') return
  await sleep(forMs)
  if (acted === 'dead') await stack.start(target)
  else stack.signal(target, 'SIGCONT')
}

/** Returns whether the failpoint killed the process or stopped it. */
export async function startAndAct(
  stack: FaultStack,
  target: ServiceTarget,
  point: Failpoint,
  deadlineMs: number,
): Promise<'dead' | 'stopped' | 'not reached'> {
  await stack.kill(target)
  // The failpoint may interrupt the start itself.
  stack.start(target, formatFailpoints([point])).catch(() => undefined)
  const pid = await waitUntil(`${target} to be started`, async () => stack.pidOf(target))
  while (systemClock.monotonicMs() < deadlineMs) {
    await sleep(lookEveryMs)
    const now = stack.pidOf(target)
    if (now !== pid) {
      // Kill it before its supervisor restarts it.
      await stack.kill(target)
      return 'dead'
    }
    if (isStopped(now)) return 'stopped'
  }
  return 'not reached'
}

async function losePlanned(
  stack: FaultStack,
  { at, undoing, forMs }: Extract<Fault, { kind: 'lose_planned' }>,
  deadlineMs: number,
): Promise<void> {
  const point = { name: at, action: { kind: 'kill' }, pass: 1 } as const
  await Promise.all(workersNames.map((name) => startAndAct(stack, name, point, deadlineMs)))
  // A worker that did not reach the failpoint must not read the messages that are about to be lost.
  await Promise.all(workersNames.map((name) => stack.kill(name)))
  await loseStream(stack)
  const [first, ...others] = workersNames
  const acted = await startAndAct(stack, first, undoing, systemClock.monotonicMs() + undoMsMax)
  for (const name of others) await stack.start(name)
  await sleep(forMs)
  if (acted === 'dead') await stack.start(first)
  if (acted === 'stopped') stack.signal(first, 'SIGCONT')
}

/** A worker has acquired its partitions within this time. */
const undoMsMax = 3_000
