/**
 * Error events as the Node SDK sends them: exception with mechanism, frames with context lines,
 * contexts, breadcrumbs, tags, user, sdk and modules. The frames depend only on the issue, so that
 * the events of an issue are grouped together; everything else varies. Larger events have more of
 * the same parts, like real ones.
 */
import assert from 'node:assert'
import type { Random } from './random.ts'
import { seededRandom } from './random.ts'

export interface SampleEventOptions {
  readonly eventId: string
  /** Index of the issue that the event belongs to. */
  readonly issueIndex: number
  /** Size of the event's JSON in bytes. */
  readonly eventBytes: number
  readonly nowMs: number
  readonly random: Random
}

export const issueCountMax = 300
export const sdkName = 'sentry.javascript.node'
export const sdkVersion = '11.11.0'

interface Frame {
  readonly filename: string
  readonly module: string
  readonly function: string
  readonly lineno: number
  readonly colno: number
  readonly in_app: boolean
  pre_context?: string[]
  context_line?: string
  post_context?: string[]
}

interface SampleEvent {
  readonly exception: { readonly values: readonly object[] }
  readonly event_id: string
  readonly level: 'error'
  readonly platform: 'node'
  contexts: object
  readonly timestamp: number
  readonly environment: string
  readonly release: string
  readonly sdk: object
  readonly tags: object
  readonly user: object
  modules?: Readonly<Record<string, string>>
  breadcrumbs?: readonly object[]
}

/** JSON text of exactly `eventBytes` ASCII characters. */
export function sampleEvent(options: SampleEventOptions): string {
  const { issueIndex, random, nowMs } = options
  assert(issueIndex < issueCountMax)
  const issue = seededRandom(issueIndex + 1)
  const frames = callChain(issueIndex)
  const event: SampleEvent = {
    exception: { values: [exception(issueIndex, random, frames)] },
    event_id: options.eventId,
    level: 'error',
    platform: 'node',
    contexts: { trace: { trace_id: random.hex(32), span_id: random.hex(16) } },
    timestamp: nowMs / 1000 - random.below(900) / 1000,
    environment: random.pick(environments),
    release: random.pick(releases),
    sdk: { name: sdkName, version: sdkVersion },
    tags: { region: random.pick(regions) },
    user: { id: String(random.below(50_000)) },
  }
  let bytesLeft = options.eventBytes - JSON.stringify(event).length - paddingFixedBytes
  assert(bytesLeft >= 0)
  if (bytesLeft > 4 * 1024) {
    bytesLeft -= enrich(event, frames, { bytesMax: bytesLeft, issue, random, nowMs })
  }
  const json = JSON.stringify({ ...event, extra: { note: prose(random, bytesLeft) } })
  assert(json.length === options.eventBytes)
  return json
}

/** `,"extra":{"note":""}` */
const paddingFixedBytes = 20

interface Enrichment {
  readonly bytesMax: number
  readonly issue: Random
  readonly random: Random
  readonly nowMs: number
}

/** Adds parts, mostly frames as in real stacks. Returns the number of bytes used. */
function enrich(event: SampleEvent, frames: Frame[], enrichment: Enrichment): number {
  const { bytesMax, issue, random, nowMs } = enrichment
  const before = JSON.stringify(event).length
  const framesBytes = Math.floor(bytesMax * 0.55)
  for (const frame of frames) if (frame.in_app) addContext(frame, issue)
  const grown = JSON.stringify(event).length - before
  frames.unshift(
    entryFrame(),
    ...fill(framesBytes - grown, 60, (index) => libraryFrame(issue, index)),
  )

  event.contexts = { ...event.contexts, ...machineContexts(random, nowMs) }
  event.modules = Object.fromEntries(
    Array.from({ length: Math.min(80, Math.floor(bytesMax / 400)) }, (_, index) => [
      `@acme/${nouns[index % nouns.length]}-${verbs[index % verbs.length]}`,
      `${issue.below(9)}.${issue.below(30)}.${issue.below(10)}`,
    ]),
  )
  event.breadcrumbs = fill(Math.floor(bytesMax * 0.25), 90, (index) =>
    breadcrumb(random, nowMs, index),
  )
  const used = JSON.stringify(event).length - before
  assert(used <= bytesMax)
  return used
}

/** Adds parts as long as they fit. */
function fill<Part>(bytesMax: number, partsMax: number, makePart: (index: number) => Part): Part[] {
  const parts: Part[] = []
  let bytes = 0
  while (parts.length < partsMax) {
    const part = makePart(parts.length)
    bytes += JSON.stringify(part).length + 1
    if (bytes > bytesMax) break
    parts.push(part)
  }
  return parts
}

function exception(issueIndex: number, random: Random, frames: readonly Frame[]): object {
  const noun = nouns[Math.floor(issueIndex / verbs.length) % nouns.length]
  return {
    type: errorTypes[issueIndex % errorTypes.length]!,
    value: `${noun} ${random.below(100_000)} is not available`,
    stacktrace: { frames },
    mechanism: { type: 'generic', handled: true },
  }
}

/** The combination of verb and noun is unique for each issue. */
function callChain(issueIndex: number): Frame[] {
  const verb = verbs[issueIndex % verbs.length]!
  const noun = nouns[Math.floor(issueIndex / verbs.length) % nouns.length]!
  return [`handle_${noun}`, `${verb}_${noun}`].map((name, depth) => ({
    filename: `/srv/src/${name}.js`,
    module: name,
    function: name,
    lineno: 20 + issueIndex + depth,
    colno: 9 + depth,
    in_app: true,
  }))
}

function entryFrame(): Frame {
  return {
    filename: 'node:internal/process/task_queues',
    module: 'task_queues',
    function: 'process.processTicksAndRejections',
    lineno: 95,
    colno: 5,
    in_app: false,
  }
}

function libraryFrame(issue: Random, index: number): Frame {
  const name = `${issue.pick(verbs)}${index}`
  const frame: Frame = {
    filename: `/srv/shop/node_modules/@acme/router/lib/${name}.js`,
    module: `@acme.router.lib:${name}`,
    function: `Layer.${name}`,
    lineno: issue.below(900) + 1,
    colno: issue.below(60) + 1,
    in_app: false,
  }
  addContext(frame, issue)
  return frame
}

function addContext(frame: Frame, issue: Random): void {
  frame.pre_context = Array.from({ length: 5 }, () => sourceLine(issue))
  frame.context_line = sourceLine(issue)
  frame.post_context = Array.from({ length: 5 }, () => sourceLine(issue))
}

function sourceLine(random: Random): string {
  const indent = ' '.repeat(2 * random.below(4))
  const [verb, noun, other] = [random.pick(verbs), random.pick(nouns), random.pick(nouns)]
  return random.pick([
    `${indent}const ${noun} = await ${verb}(${other}, { limit: ${random.below(500)} })`,
    `${indent}if (${noun}.${other} === undefined) return ${verb}(${noun}, next)`,
    `${indent}logger.info('${verb} ${noun}', { ${other}: request.params.${other} })`,
    `${indent}}`,
    '',
    `${indent}return ${noun}.map((${other}) => ${verb}(${other})).filter(Boolean)`,
  ])
}

function breadcrumb(random: Random, nowMs: number, index: number): object {
  const timestamp = nowMs / 1000 - 60 + index / 2
  const noun = random.pick(nouns)
  if (index % 2 === 0) {
    const message = `${random.pick(verbs)} ${noun} ${random.below(10_000)}`
    return { timestamp, category: 'console', level: 'info', message }
  }
  return {
    timestamp,
    category: 'http',
    type: 'http',
    data: {
      'http.method': 'GET',
      url: `https://inventory.example.com/v2/${noun}/${random.hex(12)}`,
      status_code: random.pick([200, 200, 200, 204, 404]),
    },
  }
}

function machineContexts(random: Random, nowMs: number): object {
  return {
    runtime: { name: 'node', version: 'v22.18.0' },
    app: {
      app_start_time: new Date(nowMs - 3_600_000).toISOString(),
      app_memory: 150_000_000 + random.below(40_000_000),
    },
    os: { name: 'Debian', version: '12.11', kernel_version: '6.1.0' },
    device: { arch: 'x64', memory_size: 8_589_934_592, processor_count: 4 },
    culture: { locale: 'en-GB', timezone: 'Europe/Berlin' },
  }
}

function prose(random: Random, length: number): string {
  let text = ''
  while (text.length < length) {
    text += `${random.pick(verbs)} ${random.pick(nouns)} ${random.below(10_000)}, `
  }
  return text.slice(0, length)
}

const environments = ['production', 'production', 'production', 'staging'] as const
const releases = ['shop@4.7.0', 'shop@4.7.1', 'shop@4.8.0', 'shop@4.8.1', 'shop@5.0.0'] as const
const regions = ['eu-central', 'eu-west', 'us-east'] as const
const errorTypes = [
  'TypeError',
  'RangeError',
  'TimeoutError',
  'NotFoundError',
  'ConflictError',
  'QueryError',
  'PaymentError',
] as const
// biome-ignore format: a word list
const verbs = ['load', 'save', 'charge', 'refund', 'ship', 'cancel', 'merge', 'render', 'parse', 'notify', 'lock', 'price', 'export', 'index', 'verify'] as const
// biome-ignore format: a word list
const nouns = ['order', 'cart', 'invoice', 'customer', 'parcel', 'voucher', 'catalog', 'stock', 'session', 'address', 'payment', 'report', 'price', 'supplier', 'return', 'review', 'label', 'basket', 'account', 'ledger'] as const
