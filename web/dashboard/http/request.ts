/**
 * One call of the HTTP API, typed by the OpenAPI document: `request('GET /api/v1/me', {})`. A reply
 * that is not 2xx throws a `Problem`. When the login has ended, the call waits until the person has
 * logged in again and is then repeated, so that no typed text is lost.
 */
import type { Operations } from '../generated/api.d.ts'
import { Problem } from './problem.ts'

export type OperationName = keyof Operations
export type ReadName = Extract<OperationName, `GET ${string}`>
export type Reply<K extends OperationName> = Operations[K]['reply']
export type Body<K extends OperationName> = Operations[K]['body']
type Params<K extends OperationName> = Operations[K]['params']
type Query<K extends OperationName> = Operations[K]['query']

/** `params` and `body` are required exactly when the operation has them. */
export type Input<K extends OperationName> = {
  readonly query?: Query<K>
  /** Repeating a request with the same key changes nothing. */
  readonly idempotencyKey?: string
  /** Of a body that is not JSON. */
  readonly contentType?: string
} & (keyof Params<K> extends never
  ? { readonly params?: undefined }
  : { readonly params: Params<K> }) &
  (undefined extends Body<K>
    ? { readonly body?: Body<K> | Blob }
    : { readonly body: Body<K> | Blob })

export interface RequestHooks {
  /** The token that writes need, of the present login. */
  csrfToken(): string | undefined
  /** Settles when the person has logged in again; rejects when they give up. */
  loginEnded(): Promise<void>
  /** Fetches the token again, after another tab has logged in. */
  renewCsrfToken(): Promise<void>
}

/** Browsers keep at most 64 KiB of bodies alive, of all requests together. */
const keptCharactersMax = 8_000

let hooks: RequestHooks = {
  csrfToken: () => undefined,
  loginEnded: () => Promise.reject(new Error('no login')),
  renewCsrfToken: () => Promise.resolve(),
}

export function setRequestHooks(given: RequestHooks): void {
  hooks = given
}

export async function request<K extends OperationName>(
  operation: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<Reply<K>> {
  const first = await send(operation, input, signal)
  if (first.ok) return read(first)
  const problem = await Problem.of(first)
  const isLogin = operation === 'POST /api/v1/login'
  if (problem.isLoginEnded && !isLogin && operation !== 'GET /api/v1/me') {
    await hooks.loginEnded()
  } else if (problem.code === 'csrf_failed') {
    await hooks.renewCsrfToken()
  } else {
    throw problem
  }
  const second = await send(operation, input, signal)
  if (second.ok) return read(second)
  throw await Problem.of(second)
}

/** Of a GET operation, as a link: to download a file, or for the source of a frame. */
export function hrefOf<K extends ReadName>(operation: K, input: Input<K>): string {
  return urlOf(operation, input)
}

async function send<K extends OperationName>(
  operation: K,
  input: Input<K>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const method = operation.slice(0, operation.indexOf(' '))
  const headers = new Headers({ accept: 'application/json' })
  const csrfToken = hooks.csrfToken()
  if (method !== 'GET' && csrfToken !== undefined) headers.set('x-csrf-token', csrfToken)
  if (input.idempotencyKey !== undefined) headers.set('idempotency-key', input.idempotencyKey)
  const { body } = input as { readonly body?: unknown }
  const isFile = body instanceof Blob
  if (isFile) headers.set('content-type', input.contentType ?? body.type)
  else if (body !== undefined) headers.set('content-type', 'application/json')
  const init: RequestInit = { method, headers, credentials: 'same-origin' }
  if (body !== undefined) init.body = isFile ? body : JSON.stringify(body)
  // A change that was made right before the tab is closed still arrives; files are too large.
  if (method !== 'GET' && !isFile) {
    init.keepalive = String(init.body ?? '').length < keptCharactersMax
  }
  if (signal !== undefined) init.signal = signal
  try {
    return await fetch(urlOf(operation, input), init)
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw Problem.unreachable(cause)
  }
}

/** Replies without content are null. */
async function read<K extends OperationName>(response: Response): Promise<Reply<K>> {
  if (response.status === 204) return null as Reply<K>
  const type = response.headers.get('content-type') ?? ''
  if (!type.includes('json')) return (await response.blob()) as Reply<K>
  const text = await response.text()
  return (text === '' ? null : JSON.parse(text)) as Reply<K>
}

function urlOf<K extends OperationName>(operation: K, input: Input<K>): string {
  const template = operation.slice(operation.indexOf(' ') + 1)
  const params = (input.params ?? {}) as Readonly<Record<string, unknown>>
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value === undefined || value === null || value === '') continue
    search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}
