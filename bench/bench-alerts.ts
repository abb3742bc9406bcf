/**
 * `npm run bench:alerts`: what alert rules cost a digest. Ranges of events of 1,000 projects are
 * digested with ten rules in each project and without any, alternating in one run, in CPU time of
 * this process. Handing rules to a thread and matches back is part of it.
 */
import { createHash } from 'node:crypto'
import { serialize } from 'node:v8'
import { Command } from 'commander'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
// biome-ignore-start lint/style/noRestrictedImports: what it measures is a function of the workers.
import type { AlertRules, IssueRule } from '../workers/alerts/alert-rules.ts'
import { digestRange } from '../workers/digest/digest-range.ts'
import type { RangeFrame, RangeInput, RangeOutput } from '../workers/digest/range.ts'
// biome-ignore-end lint/style/noRestrictedImports: see above.
import { seededRandom } from './load/random.ts'
import { sampleEvent } from './load/sample-event.ts'
import { describeMachine } from './report/machine.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'

const sizesKb = [1, 10] as const
const eventsPerFrame = 20
const nowMs = Date.UTC(2026, 10, 21)
const seed = 1

const options = new Command('bench:alerts')
  .description('Measure what alert rules cost a digest.')
  .option('--projects <n>', 'projects with rules', wholeNumber(1, 10_000), 1_000)
  .option('--events <n>', 'events of a range', wholeNumber(1, 20_000), 4_000)
  .option('--rounds <n>', 'pairs of ranges; the median is reported', wholeNumber(1, 1_000), 9)
  .parse()
  .opts<{ projects: number; events: number; rounds: number }>()

/** Ten rules as teams have them; the last three share one filter. */
const rulesOfProject: readonly Omit<IssueRule, 'id'>[] = [
  { when: [{ type: 'new_issue' }, { type: 'regression' }], if: { level: ['error', 'fatal'] } },
  { when: [{ type: 'new_issue' }], if: { environment: ['production'], level: ['fatal'] } },
  { when: [{ type: 'escalation' }], if: { environment: ['production', 'staging'] } },
  { when: [{ type: 'first_in_release' }], if: { release: ['shop@*'] } },
  { when: [{ type: 'regression' }], if: { tags: { browser: ['Chrome*', 'Firefox*'] } } },
  { when: [{ type: 'new_issue' }], if: { query: '!release:*-rc* timeout' } },
  { when: [{ type: 'new_issue' }], if: { query: 'url:*checkout* !environment:dev' } },
  { when: [count('event_count', 1_000)], if: { environment: ['production'] } },
  { when: [count('event_count', 100)], if: { environment: ['production'] } },
  { when: [count('user_count', 100)], if: { environment: ['production'] } },
]

function count(type: 'event_count' | 'user_count', threshold: number): IssueRule['when'][number] {
  return { type, threshold, window_seconds: 3_600, compared_to: 'absolute' }
}

main()

function main(): void {
  const rules = makeRules()
  const lines = [
    '| Event | Without rules, µs each | With rules, µs each | Ratio |',
    '|---|---|---|---|',
  ]
  for (const kb of sizesKb) {
    process.stderr.write(`events of ${kb} KB\n`)
    const frames = makeFrames(kb)
    const base = { retentionDays: 90, partition: 0, generation: 1, frames }
    // The first ranges compile code and rules.
    for (let round = 0; round < 2; round += 1) {
      digest(base, [])
      digest(base, rules)
    }
    const pairs = Array.from({ length: options.rounds }, (_, round) => {
      // Which one is first changes, so that neither pays for the other's garbage.
      if (round % 2 === 0) return { without: digest(base, []), with: digest(base, rules) }
      const second = digest(base, rules)
      return { with: second, without: digest(base, []) }
    })
    const cells = [
      (middle(pairs.map(({ without }) => without)) / options.events).toFixed(1),
      (middle(pairs.map((pair) => pair.with)) / options.events).toFixed(1),
      middle(pairs.map((pair) => pair.with / pair.without)).toFixed(3),
    ]
    lines.push(`| ${kb} KB | ${cells.join(' | ')} |`)
  }
  const { projects, events } = options
  const what = `${rules.length * rulesOfProject.length} rules in ${projects} projects, ranges of ${events} events`
  process.stdout.write(
    `${Object.values(describeMachine()).join(', ')}; ${what}\n\n${lines.join('\n')}\n`,
  )
}

function middle([first = 0, ...rest]: readonly number[]): number {
  return median([first, ...rest])
}

/** Microseconds of CPU time. */
function digest(base: RangeInput, alertRules: readonly AlertRules[]): number {
  const start = process.cpuUsage()
  const output = digestRange({ ...base, alertRules })
  // What a message to a thread and its answer copy of the rules and matches.
  serialize(alertRules.map(({ projectId, version }) => [projectId, version]))
  serialize(output.issues.map(({ matches }: RangeOutput['issues'][number]) => matches))
  const { user, system } = process.cpuUsage(start)
  return user + system
}

function makeRules(): readonly AlertRules[] {
  return Array.from({ length: options.projects }, (_, index) => {
    const rules = rulesOfProject.map((rule, no) => ({ id: `${index}-${no}`, ...rule }))
    const text = new TextEncoder().encode(JSON.stringify(rules))
    return { projectId: (index + 1) as ProjectId, version: index + 1, text }
  })
}

/** Each project has two issues in a range, as its events come in bursts of few kinds. */
function issueOf(index: number): number {
  return Math.floor(index / options.projects) % 2
}

function makeFrames(kb: number): readonly RangeFrame[] {
  const random = seededRandom(seed)
  const frames: RangeFrame[] = []
  for (let first = 0; first < options.events; first += eventsPerFrame) {
    const writer = new FrameWriter(0, { take: () => Buffer.alloc(256 * KiB) })
    for (let index = first; index < Math.min(options.events, first + eventsPerFrame); index += 1) {
      const eventId = createHash('sha256').update(`${index}`).digest('hex').slice(0, 32)
      const event = {
        eventId,
        issueIndex: issueOf(index),
        eventBytes: kb * 1024,
        nowMs,
        random,
      }
      writer.append({
        kind: 'event',
        projectId: ((index % options.projects) + 1) as ProjectId,
        dsnKeyNo: 1 as DsnKeyNo,
        receivedAtMs: nowMs,
        recordId: Buffer.from(eventId, 'hex'),
        headerJson: '',
        payload: Buffer.from(sampleEvent(event)),
      })
    }
    const number = { instanceId: '0'.repeat(32), partition: 0, sequence: frames.length + 1 }
    frames.push({ streamSeq: frames.length + 1, bytes: writer.finish(number as never, 0) })
  }
  return frames
}
