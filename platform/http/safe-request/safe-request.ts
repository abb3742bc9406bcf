/**
 * POST requests to URLs that strangers choose. Only public addresses and networks of
 * WEBHOOK_ALLOWED_NETWORKS are connected to, redirects are not followed, and time, headers and
 * body of the response are limited. The host name stays in `Host` and in SNI, and the certificate
 * must be valid for it.
 */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, isIPv6, type LookupFunction } from 'node:net'
import type { Clock } from '../../clock.ts'
import { type ResolveHost, resolveTarget } from './resolve-target.ts'
import { checkTargetUrl, hostOf, type TargetSettings } from './target-url.ts'

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type RequestResult =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly retryAfter: string | undefined
      /** The first 16 KiB, decoded as UTF-8. */
      readonly body: string
    }
  /** Nothing was sent: the URL or one of its addresses is not allowed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** There was no response. The reason names neither the URL nor an address. */
  | { readonly kind: 'failed'; readonly reason: string }

export type SafeRequest = (request: OutgoingRequest) => Promise<RequestResult>

export interface SafeRequestOptions {
  readonly settings: TargetSettings
  readonly resolve: ResolveHost
  readonly clock: Clock
  /** For everything from DNS to the last byte of the response. */
  readonly timeoutMs?: number
  /** Certificates of test servers, instead of those that Node trusts. */
  readonly ca?: string
}

const defaultTimeoutMs = 10_000
const responseBytesMax = 16 * 1024
const responseHeaderBytesMax = 16 * 1024
/** Before the next address of a host is tried. */
const connectAttemptMs = 2_000

export function createSafeRequest(options: SafeRequestOptions): SafeRequest {
  const { settings, clock } = options
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  return async (outgoing) => {
    const checked = checkTargetUrl(outgoing.url, settings)
    if (checked.kind === 'refused') return { kind: 'refused', reason: `The URL ${checked.rule}.` }
    const { url } = checked
    const startedMs = clock.monotonicMs()
    const target = await within(timeoutMs, resolveTarget(url, options))
    if (target === undefined) return failed('the name servers of the host do not answer')
    if (target.kind === 'refused') return { kind: 'refused', reason: `The URL ${target.rule}.` }
    if (target.kind === 'unresolved') return failed(target.reason)
    const leftMs = Math.max(1, timeoutMs - (clock.monotonicMs() - startedMs))
    return send(outgoing, { url, addresses: target.addresses, leftMs, ca: options.ca })
  }
}

interface Connection {
  readonly url: URL
  readonly addresses: readonly string[]
  readonly leftMs: number
  readonly ca: string | undefined
}

function send(outgoing: OutgoingRequest, connection: Connection): Promise<RequestResult> {
  return new Promise((resolve) => {
    const options = requestOptions(outgoing, connection)
    const start = connection.url.protocol === 'https:' ? requestHttps : requestHttp
    let isLate = false
    let response: IncomingMessage | undefined
    const chunks: Buffer[] = []
    const end = (result: RequestResult) => {
      clearTimeout(timer)
      resolve(result)
      request?.destroy()
    }
    // The status is the answer; a body that does not end is cut.
    const endWithResponse = () => {
      if (response !== undefined) end(resultOf(response, chunks))
      else end(failed(isLate ? 'no response within the time limit' : 'the connection was closed'))
    }
    const timer = setTimeout(() => {
      isLate = true
      endWithResponse()
    }, connection.leftMs)
    let request: ReturnType<typeof requestHttp> | undefined
    try {
      request = start(options)
    } catch {
      return end(failed('a header has characters that HTTP does not allow'))
    }
    request.on('response', (incoming) => {
      response = incoming
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (responseBytesMax <= bytes) endWithResponse()
      })
      incoming.on('error', () => undefined)
      incoming.on('close', endWithResponse)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (response !== undefined) endWithResponse()
      else end(failed(reasonOf(error)))
    })
    request.on('close', endWithResponse)
    request.end(outgoing.body)
  })
}

function requestOptions(
  { headers, body }: OutgoingRequest,
  { url, addresses, ca }: Connection,
): RequestOptions & { ca?: string; servername?: string } {
  const host = hostOf(url)
  return {
    method: 'POST',
    protocol: url.protocol,
    hostname: host,
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, 'content-length': Buffer.byteLength(body), 'user-agent': 'Sluice' },
    // A new connection for each request, and no proxy of the environment.
    agent: false,
    lookup: pinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: connectAttemptMs,
    maxHeaderSize: responseHeaderBytesMax,
    ...(isIP(host) > 0 ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca }),
  } as RequestOptions
}

function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, { all: wantsAll }, callback) => {
    if (wantsAll === true) callback(null, all)
    else callback(null, all[0]!.address, all[0]!.family)
  }
}

function resultOf(response: IncomingMessage, chunks: readonly Buffer[]): RequestResult {
  const body = Buffer.concat(chunks).subarray(0, responseBytesMax).toString('utf8')
  const retryAfter = response.headers['retry-after']
  return { kind: 'response', status: response.statusCode ?? 0, retryAfter, body }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is not valid for the host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  HPE_HEADER_OVERFLOW: 'the headers of the response are too long',
}

/** Only the code: messages contain addresses. */
function reasonOf({ code = 'unknown' }: NodeJS.ErrnoException): string {
  if (code in reasons) return reasons[code]!
  if (code.startsWith('HPE_')) return 'the response is not valid HTTP'
  return /CERT|SSL|TLS|SIGNATURE/.test(code)
    ? `the TLS connection failed (${code})`
    : `the connection failed (${code})`
}

function failed(reason: string): RequestResult {
  return { kind: 'failed', reason: `${reason[0]!.toUpperCase()}${reason.slice(1)}.` }
}

/** Undefined if the promise takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
