/**
 * `npm run bench:portal`: measures how the size of a portal affects its visitors. It compares the
 * first page, a search and a vote on a portal of 100,000 ideas and 3 million votes with those on a
 * portal of 1,000 ideas, and first pages per second with a bare Fastify route that replies with the
 * same text. A missed target is only reported, because speed depends on the machine.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { startStack } from '../dev/stack.ts'
import { type FilledPortal, fillPortal, withWords } from './portal/fill-portal.ts'
import { loadPortal, type PortalRequest, quantile } from './portal/portal-load.ts'
import { describeMachine } from './report/machine.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'
import { startBareServer } from './servers/bare-server.ts'

interface Flags {
  readonly ideas: number
  readonly small: number
  readonly requests: number
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

const flags = new Command('bench:portal')
  .description('Measure lists, searches and votes of a large portal, compared with a small one.')
  .option('--ideas <n>', 'ideas of the large portal', wholeNumber(100, 1_000_000), 100_000)
  .option('--small <n>', 'ideas of the small portal', wholeNumber(100, 1_000_000), 1_000)
  .option(
    '--requests <n>',
    'requests of each kind, portal and round',
    wholeNumber(10, 1_000_000),
    600,
  )
  .option('--rounds <n>', 'rounds, in turn; medians are reported', wholeNumber(1, 100), 5)
  .option('--seconds <n>', 'seconds of load in each round', wholeNumber(1, 60), 4)
  .option('--connections <n>', 'connections that request lists', wholeNumber(1, 10_000), 128)
  .parse()
  .opts<Flags>()

const latencyRatioMax = 2
const rateRatioMin = 0.3
const rateRatioAim = 0.45
/** Enough to keep both sides busy, and few enough that queueing does not dominate the result. */
const latencyConnections = 2

const say = (line: string) => process.stderr.write(`${line}\n`)
const print = (line: string) => process.stdout.write(`${line}\n`)
const monotonicMs = () => systemClock.monotonicMs()

/** Each creates the request with a number for a portal. */
const kinds: Readonly<Record<string, (portal: FilledPortal, index: number) => PortalRequest>> = {
  'first page': (portal) => get(portal, 'ideas'),
  'first page of a known user': (portal, index) =>
    get(portal, `ideas?enduser_id=user-${1 + index}`),
  'page of the newest': (portal) => get(portal, 'ideas?sort_by_votes=false'),
  'search for one idea': (portal, index) =>
    get(portal, `ideas?search=number${1 + ((index * 389) % portal.ideaCount)}`),
  'search with a typo': (portal, index) =>
    get(portal, `ideas?search=nunber${1 + ((index * 389) % portal.ideaCount)}`),
  vote: (portal, index) => ({
    ...{ method: 'POST', path: `${base(portal)}/ideas/${ideaOf(portal, index)}/vote` },
    body: JSON.stringify({ enduser_id: `voter-${index}` }),
  }),
  'a page of a tag': (portal, index) => get(portal, `ideas?tag=tag-${1 + (index % 12)}`),
  'a common word': (portal) => get(portal, 'ideas?search=spreadsheet'),
}
const judged = new Set(['first page', 'search for one idea', 'search with a typo', 'vote'])

/** By project key: ids of the top ideas, which get the votes. */
const ideaIds = new Map<string, readonly string[]>()

await main()

async function main(): Promise<void> {
  print(`${Object.values(describeMachine()).join(', ')}\n`)
  const stack = await startStack({
    services: ['api'],
    env: { TRUST_PROXY_HOPS: '1' },
    report: { progress: say, line: () => {}, exited: () => {}, broughtBack: () => {} },
  })
  const pool = createPool(
    {
      ...{ url: stack.urls.postgres, applicationName: 'bench', connectionsMax: 2 },
      statementTimeoutMs: 600_000,
    },
    createLogger('bench', 'silent'),
  )
  try {
    const organization = await pool.query<{ id: string }>('select id from organizations limit 1')
    const organizationId = organization.rows[0]!.id
    const [small, large] = await withWords(pool, async () => {
      const fill = (ideaCount: number, shortName: string) => {
        say(`filling a portal with ${ideaCount.toLocaleString('en')} ideas`)
        return fillPortal(pool, { organizationId, ideaCount, shortName })
      }
      return [await fill(flags.small, 'SMALL'), await fill(flags.ideas, 'LARGE')] as const
    })
    await pool.query('vacuum analyze')
    await pool.query('checkpoint')
    const { rows } = await pool.query<{ count: number }>('select count(*) from votes')
    print(`${large.ideaCount} and ${small.ideaCount} ideas, ${rows[0]?.count} votes.\n`)
    await compareSizes(stack.urls.api, { small, large })
    await compareRates(stack.urls.api, large)
  } finally {
    await pool.end()
    await stack.stop()
  }
}

function base({ projectKey }: FilledPortal): string {
  return `/api/v1/p/${projectKey}`
}

function get(portal: FilledPortal, path: string): PortalRequest {
  return { method: 'GET', path: `${base(portal)}/${path}` }
}

function ideaOf({ projectKey }: FilledPortal, index: number): string {
  const ids = ideaIds.get(projectKey) ?? []
  return ids[index % ids.length] ?? ''
}

async function compareSizes(
  apiUrl: string,
  portals: { small: FilledPortal; large: FilledPortal },
): Promise<void> {
  const { hostname: host, port } = new URL(apiUrl)
  for (const portal of Object.values(portals)) {
    const reply = await fetch(`${apiUrl}${base(portal)}/ideas?limit=100`)
    const { items } = (await reply.json()) as { items: { id: string }[] }
    ideaIds.set(
      portal.projectKey,
      items.map(({ id }) => id),
    )
  }
  print('| p99 of | large, ms | small, ms | ratio | median of large, ms | |')
  print('|---|---|---|---|---|---|')
  for (const [name, make] of Object.entries(kinds)) {
    say(name)
    const p99: Record<'large' | 'small', number[]> = { large: [], small: [] }
    const middles: number[] = []
    const ratios: number[] = []
    let begun = 0
    for (let round = 0; round <= flags.rounds; round += 1) {
      for (const size of ['small', 'large'] as const) {
        const first = begun
        begun += flags.requests
        const { latenciesMs } = await loadPortal({
          ...{ host, port: Number(port), connections: latencyConnections, monotonicMs },
          ...{ requestsMax: flags.requests, secondsMax: 30 },
          next: (index) => make(portals[size], first + index),
        })
        // The first round is a warm-up.
        if (round === 0) continue
        p99[size].push(quantile(latenciesMs, 0.99))
        if (size === 'large') middles.push(quantile(latenciesMs, 0.5))
      }
      if (round > 0) ratios.push(p99.large.at(-1)! / p99.small.at(-1)!)
    }
    const ratio = middle(ratios)
    const met = ratio <= latencyRatioMax ? 'met' : 'missed'
    const verdict = judged.has(name) ? `at most ${latencyRatioMax}: ${met}` : ''
    const cells = [p99.large, p99.small].map((values) => middle(values).toFixed(2))
    print(
      `| ${name} | ${cells.join(' | ')} | ${ratio.toFixed(2)} | ${middle(middles).toFixed(2)} | ${verdict} |`,
    )
  }
  print('')
}

async function compareRates(apiUrl: string, portal: FilledPortal): Promise<void> {
  const { hostname: host, port } = new URL(apiUrl)
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  const file = join(folder, 'reply.json')
  const text = await (await fetch(`${apiUrl}${base(portal)}/ideas`)).text()
  await writeFile(file, text)
  const bare = await startBareServer('bare-fastify', [file])
  const measure = async (
    at: { host: string; port: number },
    next: (n: number) => PortalRequest,
  ) => {
    const { answered, seconds } = await loadPortal({
      ...{ ...at, connections: flags.connections, requestsMax: 10_000_000, next, monotonicMs },
      secondsMax: flags.seconds,
    })
    return answered / seconds
  }
  const api = { host, port: Number(port) }
  const contestants = {
    'bare Fastify': () =>
      measure({ host: '127.0.0.1', port: bare.port }, () => ({ method: 'GET', path: '/' })),
    list: () => measure(api, (index) => kinds['first page']!(portal, index)),
    'list of known users': () =>
      measure(api, (index) => kinds['first page of a known user']!(portal, index)),
  }
  try {
    const rates: Record<string, number[]> = {}
    for (let round = 0; round <= flags.rounds; round += 1) {
      for (const [name, run] of Object.entries(contestants)) {
        say(`${name}, round ${round}`)
        const rate = await run()
        if (round > 0) rates[name] = [...(rates[name] ?? []), rate]
      }
    }
    const bareRates = rates['bare Fastify'] ?? []
    print(
      `| Requests per second, ${text.length} characters, ${flags.connections} connections | | ratio | |`,
    )
    print('|---|---|---|---|')
    for (const [name, own] of Object.entries(rates)) {
      const ratio = middle(own.map((rate, round) => rate / (bareRates[round] ?? Number.NaN)))
      print(
        `| ${name} | ${Math.round(middle(own))} | ${ratio.toFixed(2)} | ${verdictOf(name, ratio)} |`,
      )
    }
  } finally {
    await bare.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function verdictOf(name: string, ratio: number): string {
  if (name !== 'list') return ''
  if (rateRatioAim <= ratio) return `at least ${rateRatioAim}: met`
  return ratio >= rateRatioMin
    ? `at least ${rateRatioMin}: met`
    : `at least ${rateRatioMin}: missed`
}

function middle(values: readonly number[]): number {
  const [first, ...rest] = values
  return first === undefined ? Number.NaN : median([first, ...rest])
}
