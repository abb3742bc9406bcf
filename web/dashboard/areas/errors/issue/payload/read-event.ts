/**
 * The parts of a stored event that the page shows, each in one shape. The payload is JSON of any
 * shape, written by clients: parts that do not have the expected form are left out.
 */
import { type Fields, fieldsOf, listOf, numberOf, pairsOf, textOf } from './fields.ts'
import { lengthSentAt, type Remark, readRemarks } from './read-remarks.ts'

export interface EventFrame {
  readonly function: string | undefined
  readonly file: string | undefined
  readonly path: string | undefined
  readonly module: string | undefined
  readonly line: number | undefined
  readonly column: number | undefined
  /** Undefined when the client did not say. */
  readonly inApp: boolean | undefined
  readonly address: string | undefined
  readonly source: readonly SourceLine[]
  readonly variables: Fields
  /** What else the client knows: its data, a lock, and how the frame was found. */
  readonly facts: Fields
}

export interface SourceLine {
  readonly number: number | undefined
  readonly text: string
  readonly isCurrent: boolean
}

export interface EventStack {
  /** The frame of the crash first, its outermost caller last. */
  readonly frames: readonly EventFrame[]
  /** Frames that were not stored, because the stack is too long, */
  readonly omitted: number
  /** and the number of frames above them, at the side of the crash. */
  readonly omittedAfter: number
}

export interface EventException {
  readonly type: string
  readonly value: string
  readonly module: string | undefined
  readonly mechanism: Fields
  readonly isHandled: boolean | undefined
  readonly stack: EventStack | undefined
  /** The stack before its frames were translated. */
  readonly rawStack: EventStack | undefined
  /** Characters that were sent, if fewer are stored. */
  readonly lengthSent: number | undefined
}

export interface EventThread {
  readonly id: string
  readonly name: string | undefined
  readonly isCrashed: boolean
  readonly isCurrent: boolean
  readonly state: string | undefined
  readonly stack: EventStack | undefined
  /** Locks that the thread holds, by address. */
  readonly heldLocks: Fields
}

export interface EventCrumb {
  readonly at: string | undefined
  readonly type: string
  readonly level: string
  readonly category: string | undefined
  readonly message: string | undefined
  readonly data: Fields
}

export interface EventRequest {
  readonly url: string | undefined
  readonly method: string | undefined
  readonly query: string | undefined
  readonly body: unknown
  readonly headers: Pairs
  readonly cookies: Pairs
  readonly environment: Fields
  /** Such as `graphql`. */
  readonly api: string | undefined
}

export type Pairs = readonly (readonly [name: string, value: unknown])[]

export interface EventContent {
  /** As sent: the oldest cause first. */
  readonly exceptions: readonly EventException[]
  readonly threads: readonly EventThread[]
  readonly stack: EventStack | undefined
  readonly message: EventMessage | undefined
  readonly csp: Fields
  readonly crumbs: readonly EventCrumb[]
  readonly request: EventRequest | undefined
  readonly user: Fields
  readonly contexts: Fields
  readonly tags: Pairs
  readonly extra: Fields
  readonly modules: Fields
  readonly sdk: Fields
  readonly fingerprint: readonly string[]
  readonly images: number
  readonly systemInfo: Fields
  /** Faults that the client found in its own event. */
  readonly errors: readonly Fields[]
  /** What was cut or removed, by path. */
  readonly remarks: readonly Remark[]
  /** What normalization cut or left out. */
  readonly notes: readonly Fields[]
}

export interface EventMessage {
  readonly text: string
  readonly template: string | undefined
  readonly lengthSent: number | undefined
}

export function readEvent(payload: unknown): EventContent {
  const event = fieldsOf(payload)
  const logentry = fieldsOf(event['logentry'])
  const text = textOf(logentry['formatted']) ?? textOf(logentry['message'])
  const template = textOf(logentry['message'])
  const meta = event['_meta']
  return {
    exceptions: listOf(fieldsOf(event['exception'])['values']).map((value, index) =>
      readException(value, lengthSentAt(meta, ['exception', 'values', String(index), 'value'])),
    ),
    threads: listOf(fieldsOf(event['threads'])['values']).map(readThread),
    stack: readStack(event['stacktrace']),
    message:
      text === undefined
        ? undefined
        : {
            text,
            template: template === text ? undefined : template,
            lengthSent: lengthSentAt(meta, ['logentry', 'formatted']),
          },
    csp: fieldsOf(event['csp']),
    crumbs: listOf(fieldsOf(event['breadcrumbs'])['values']).map(readCrumb),
    request: readRequest(fieldsOf(event['request'])),
    user: fieldsOf(event['user']),
    contexts: fieldsOf(event['contexts']),
    tags: pairsOf(event['tags']),
    extra: fieldsOf(event['extra']),
    modules: fieldsOf(event['modules']),
    sdk: fieldsOf(event['sdk']),
    fingerprint: listOf(event['fingerprint']).flatMap((part) => textOf(part) ?? []),
    images: listOf(fieldsOf(event['debug_meta'])['images']).length,
    systemInfo: fieldsOf(fieldsOf(event['debug_meta'])['sdk_info']),
    errors: listOf(event['errors']).map(fieldsOf),
    remarks: readRemarks(meta),
    notes: listOf(event['notes']).map(fieldsOf),
  }
}

function readException(value: unknown, lengthSent: number | undefined): EventException {
  const exception = fieldsOf(value)
  const mechanism = fieldsOf(exception['mechanism'])
  const handled = mechanism['handled']
  return {
    type: textOf(exception['type']) ?? 'Error',
    value: textOf(exception['value']) ?? '',
    module: textOf(exception['module']),
    mechanism,
    isHandled: typeof handled === 'boolean' ? handled : undefined,
    stack: readStack(exception['stacktrace']),
    rawStack: readStack(exception['raw_stacktrace']),
    lengthSent,
  }
}

function readThread(value: unknown): EventThread {
  const thread = fieldsOf(value)
  return {
    id: textOf(thread['id']) ?? '?',
    name: textOf(thread['name']),
    isCrashed: thread['crashed'] === true,
    isCurrent: thread['current'] === true,
    state: textOf(thread['state']),
    stack: readStack(thread['stacktrace']),
    heldLocks: fieldsOf(thread['held_locks']),
  }
}

function readStack(value: unknown): EventStack | undefined {
  const stack = fieldsOf(value)
  const frames = listOf(stack['frames'])
  if (frames.length === 0) return undefined
  const [from, to] = listOf(stack['frames_omitted'])
  const omitted = (numberOf(to) ?? 0) - (numberOf(from) ?? 0)
  return {
    frames: frames.map(readFrame).reverse(),
    omitted: Math.max(0, omitted),
    omittedAfter: Math.max(0, frames.length - (numberOf(from) ?? 0)),
  }
}

function readFrame(value: unknown): EventFrame {
  const frame = fieldsOf(value)
  const inApp = frame['in_app']
  const path = textOf(frame['abs_path'])
  return {
    function: textOf(frame['function']) ?? textOf(frame['raw_function']),
    file: textOf(frame['filename']) ?? path ?? textOf(frame['package']),
    path,
    module: textOf(frame['module']),
    line: numberOf(frame['lineno']),
    column: numberOf(frame['colno']),
    inApp: typeof inApp === 'boolean' ? inApp : undefined,
    address: textOf(frame['instruction_addr']),
    source: sourceOf(frame),
    variables: fieldsOf(frame['vars']),
    facts: factsOf(frame),
  }
}

function factsOf(frame: Fields): Fields {
  const { trust, lock, stack_start: start } = frame
  return {
    ...fieldsOf(frame['data']),
    ...(textOf(trust) === undefined ? {} : { 'found by': trust }),
    ...(Object.keys(fieldsOf(lock)).length === 0 ? {} : { lock }),
    ...(start === true ? { 'starts an asynchronous part': true } : {}),
  }
}

function sourceOf(frame: Fields): readonly SourceLine[] {
  const current = frame['context_line']
  if (typeof current !== 'string') return []
  const line = numberOf(frame['lineno'])
  const lineAt = (offset: number, text: unknown): SourceLine => ({
    number: line === undefined ? undefined : line + offset,
    text: typeof text === 'string' ? text : '',
    isCurrent: offset === 0,
  })
  const before = listOf(frame['pre_context'])
  return [
    ...before.map((text, index) => lineAt(index - before.length, text)),
    lineAt(0, current),
    ...listOf(frame['post_context']).map((text, index) => lineAt(index + 1, text)),
  ]
}

function readCrumb(value: unknown): EventCrumb {
  const crumb = fieldsOf(value)
  return {
    at: textOf(crumb['timestamp']),
    type: textOf(crumb['type']) ?? 'default',
    level: textOf(crumb['level']) ?? 'info',
    category: textOf(crumb['category']),
    message: textOf(crumb['message']),
    data: fieldsOf(crumb['data']),
  }
}

function readRequest(request: Fields): EventRequest | undefined {
  if (Object.keys(request).length === 0) return undefined
  return {
    url: textOf(request['url']),
    method: textOf(request['method']),
    query: textOf(request['query_string']),
    body: request['data'],
    headers: pairsOf(request['headers']),
    cookies: pairsOf(request['cookies']),
    environment: fieldsOf(request['env']),
    api: textOf(request['api_target']),
  }
}
