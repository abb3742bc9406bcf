/**
 * `npm run bench:alerts`: what alert rules cost a digest. Ranges of events of 1,000 projects are
 * digested with ten rules in each project and without any, alternating in one run, in CPU time of
 * this process, garbage collection included. Handing filters to a thread, and matches back, is part
 * of it.
 *
 * Partitions are chosen by event id, so a range has events of all projects. "even": every project
 * sends as much as the next one, four events of two issues in a range. This is the worst case. In
 * "skewed" a few projects and issues send most events, as in real installations. "own": no two
 * projects have a filter in common, beside that of the default rule; "alike": all have the same.
 */
import { createHash } from 'node:crypto'
import { Command } from 'commander'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
// biome-ignore-start lint/style/noRestrictedImports: what it measures is a function of the workers.
import {
  type AlertRules,
  type FilterList,
  filterListText,
  filtersForDigest,
  filtersOf,
  type IssueRule,
} from '../workers/alerts/alert-rules.ts'
import { unpackMatches } from '../workers/alerts/filters/filter-match.ts'
import { digestRange } from '../workers/digest/digest-range.ts'
import type { RangeFrame, RangeInput } from '../workers/digest/range.ts'
// biome-ignore-end lint/style/noRestrictedImports: see above.
import { type Random, seededRandom } from './load/random.ts'
import { sampleEvent } from './load/sample-event.ts'
import { describeMachine } from './report/machine.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'

const sizesKb = [1, 10] as const
const eventsPerFrame = 20
const nowMs = Date.UTC(2026, 10, 21)
const seed = 1
const issuesPerProject = 50
/** Threads know filters by version. */
let lastVersion = 0

const options = new Command('bench:alerts')
  .description('Measure what alert rules cost a digest.')
  .option('--projects <n>', 'projects with rules', wholeNumber(1, 10_000), 1_000)
  .option('--events <n>', 'events of a range', wholeNumber(1, 20_000), 4_000)
  .option('--rounds <n>', 'pairs of ranges; the median is reported', wholeNumber(1, 1_000), 15)
  .parse()
  .opts<{ projects: number; events: number; rounds: number }>()

/** The rule that every project begins with (api/alerts/default-rule.ts). */
const defaultRule: Omit<IssueRule, 'id'> = {
  when: [{ type: 'new_issue' }, { type: 'regression' }, { type: 'escalation' }],
  if: { level: ['error', 'fatal'] },
}

/** Nine further rules as teams have them. */
function furtherRules(project: string): readonly Omit<IssueRule, 'id'>[] {
  const production = ['production', `live-${project}`]
  return [
    { when: [{ type: 'new_issue' }], if: { environment: production, level: ['fatal'] } },
    { when: [{ type: 'escalation' }], if: { environment: production } },
    { when: [{ type: 'first_in_release' }], if: { release: ['shop@*', `shop-${project}@*`] } },
    { when: [{ type: 'regression' }], if: { tags: { region: ['eu-*', `zone-${project}-*`] } } },
    { when: [{ type: 'new_issue' }], if: { query: `!release:*-rc* timeout-${project}` } },
    { when: [{ type: 'new_issue' }], if: { query: `url:*checkout-${project}* !environment:dev` } },
    { when: [count('event_count', 1_000)], if: { environment: production } },
    { when: [count('event_count', 100)], if: { environment: production } },
    { when: [count('user_count', 100)], if: { environment: production } },
  ]
}

function count(type: 'event_count' | 'user_count', threshold: number): IssueRule['when'][number] {
  return { type, threshold, window_seconds: 3_600, compared_to: 'absolute' }
}

main()

function main(): void {
  const loads = {
    'even, own rules': { pick: pickEvenly, rules: makeRules((index) => `${index}`) },
    'even, alike rules': { pick: pickEvenly, rules: makeRules(() => 'any') },
    'skewed, own rules': { pick: pickSkewed, rules: makeRules((index) => `${index}`) },
  }
  const lines = [
    '| Events | Without rules, µs each | With rules, µs each | Ratio of medians | Median of ratios | Quartiles |',
    '|---|---|---|---|---|---|',
  ]
  for (const kb of sizesKb) {
    for (const [name, { pick, rules }] of Object.entries(loads)) {
      process.stderr.write(`events of ${kb} KB, ${name}\n`)
      const base = { retentionDays: 90, partition: 0, generation: 1, frames: makeFrames(kb, pick) }
      // The first ranges compile code and filters.
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
      const without = middle(pairs.map((pair) => pair.without))
      const withRules = middle(pairs.map((pair) => pair.with))
      const ratios = pairs.map((pair) => pair.with / pair.without).sort((a, b) => a - b)
      const quarter = (share: number) => ratios[Math.floor(ratios.length * share)]!.toFixed(3)
      const cells = [
        (without / options.events).toFixed(1),
        (withRules / options.events).toFixed(1),
        (withRules / without).toFixed(3),
        middle(ratios).toFixed(3),
        `${quarter(0.25)} to ${quarter(0.75)}`,
      ]
      lines.push(`| ${kb} KB, ${name} | ${cells.join(' | ')} |`)
    }
  }
  const { projects, events, rounds } = options
  const what = `${projects * (1 + furtherRules('').length)} rules in ${projects} projects, ${rounds} pairs of ranges of ${events} events`
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
  // What a message to a thread and its answer copy of filters and matches.
  const alertFilters = structuredClone(filtersForDigest(alertRules))
  const output = digestRange({ ...base, alertFilters })
  const matches = structuredClone(output.issues.map((sum) => sum.matches))
  // A commit reads those of issues with a new state, and of projects that count.
  for (const each of matches) unpackMatches(each)
  const { user, system } = process.cpuUsage(start)
  return user + system
}

/** Projects of one name have the same filters, in one list. */
function makeRules(nameOf: (index: number) => string): readonly AlertRules[] {
  const lists = new Map<string, FilterList>()
  return Array.from({ length: options.projects }, (_, index) => {
    const name = nameOf(index)
    const filters = filtersOf(
      [defaultRule, ...furtherRules(name)].map((rule, no) => ({ id: `${index}-${no}`, ...rule })),
    )
    const list = lists.get(name) ?? makeList(filters)
    lists.set(name, list)
    return { projectId: (index + 1) as ProjectId, filters, list }
  })
}

function makeList(filters: AlertRules['filters']): FilterList {
  const bytes = new TextEncoder().encode(filterListText(filters))
  const text = new Uint8Array(new SharedArrayBuffer(bytes.length))
  text.set(bytes)
  lastVersion += 1
  return { version: lastVersion, text }
}

interface Picked {
  readonly project: number
  readonly issue: number
}

function pickEvenly(index: number): Picked {
  const { projects } = options
  return { project: index % projects, issue: Math.floor(index / projects) % 2 }
}

/** The share of the nth project or issue is 1/n. */
function pickSkewed(_: number, random: Random): Picked {
  return { project: skewed(random, options.projects), issue: skewed(random, issuesPerProject) }
}

function skewed(random: Random, count: number): number {
  const at = random.below(1_000_000) / 1_000_000
  return Math.min(count - 1, Math.floor((count + 1) ** at) - 1)
}

function makeFrames(
  kb: number,
  pick: (index: number, random: Random) => Picked,
): readonly RangeFrame[] {
  const random = seededRandom(seed)
  const frames: RangeFrame[] = []
  for (let first = 0; first < options.events; first += eventsPerFrame) {
    const writer = new FrameWriter(0, { take: () => Buffer.alloc(256 * KiB) })
    for (let index = first; index < Math.min(options.events, first + eventsPerFrame); index += 1) {
      const { project, issue } = pick(index, random)
      const eventId = createHash('sha256').update(`${index}`).digest('hex').slice(0, 32)
      const eventBytes = kb * 1024
      writer.append({
        kind: 'event',
        projectId: (project + 1) as ProjectId,
        dsnKeyNo: 1 as DsnKeyNo,
        receivedAtMs: nowMs,
        recordId: Buffer.from(eventId, 'hex'),
        headerJson: '',
        payload: Buffer.from(
          sampleEvent({ eventId, issueIndex: issue, eventBytes, nowMs, random }),
        ),
      })
    }
    const number = { instanceId: '0'.repeat(32), partition: 0, sequence: frames.length + 1 }
    frames.push({ streamSeq: frames.length + 1, bytes: writer.finish(number as never, 0) })
  }
  return frames
}
