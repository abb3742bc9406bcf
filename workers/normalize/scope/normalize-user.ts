/** Who met the error. The address may be one that only the server knows. */
import { isIP } from 'node:net'
import type { EventUser } from '../event.ts'
import { fieldCharactersMax, smallBounds } from '../field-limits.ts'
import { boundObject, type JsonValue } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import { type JsonObject, readLenientText, readObject } from '../values/read-value.ts'

export interface UserContext {
  readonly platform: string
  /** Of the connection. */
  readonly address: string
  /** What the web server of the client wrote in the request's environment. */
  readonly remoteAddress: unknown
  /** `sdk.settings.infer_ip`. */
  readonly inferIp: unknown
  /** The payload as text, for an id with more digits than a number holds. */
  readonly payloadText: string
  readonly notes: Notes
}

export interface ReadUser {
  readonly typed: EventUser
  readonly canonical: { readonly [key: string]: JsonValue } | undefined
}

const automatic = '{{auto}}'

export function normalizeUser(sent: unknown, context: UserContext): ReadUser {
  const { notes } = context
  const user = readObject(sent)
  if (user === undefined && sent !== undefined && sent !== null) {
    notes.add('user', 'must be an object')
  }
  const { id, email, username, name, ip_address, ...others } = user ?? {}
  const text = (value: unknown, field: string, charactersMax: number) =>
    readLenientText(value, { field: `user.${field}`, charactersMax, notes })

  const typed: EventUser = {
    id: text(exactId(id, context.payloadText), 'id', fieldCharactersMax.userId),
    email: text(email, 'email', fieldCharactersMax.email),
    name:
      text(username, 'username', fieldCharactersMax.userName) ||
      text(name, 'name', fieldCharactersMax.userName),
    ip: readIp(ip_address, context),
  }
  const canonical: Record<string, JsonValue> = {}
  if (typed.id !== '') canonical['id'] = typed.id
  if (typed.email !== '') canonical['email'] = typed.email
  if (typed.name !== '') canonical['username'] = typed.name
  if (typed.ip !== '') canonical['ip_address'] = typed.ip
  const fullName = text(name, 'name', fieldCharactersMax.userName)
  if (fullName !== '' && fullName !== typed.name) canonical['name'] = fullName
  const bounded = boundObject(others, smallBounds, { field: 'user', notes })
  return { typed, canonical: unlessEmpty({ ...canonical, ...bounded }) }
}

function unlessEmpty(canonical: { readonly [key: string]: JsonValue }): ReadUser['canonical'] {
  return Object.keys(canonical).length === 0 ? undefined : canonical
}

const idInUser =
  /"(?:user|sentry\.interfaces\.User)"\s*:\s*\{[^{}]*?"id"\s*:\s*(-?\d{16,64})[,}\s]/g

/** Snowflake ids pass 2^53, where parsing rounds them and two users become one; so their digits are read again. */
function exactId(id: unknown, payloadText: string): unknown {
  if (typeof id !== 'number' || Number.isSafeInteger(id) || !Number.isInteger(id)) return id
  for (const [, digits] of payloadText.matchAll(idInUser)) {
    if (Number(digits) === id) return digits
  }
  return id
}

function readIp(sent: unknown, context: UserContext): string {
  const { address, remoteAddress, inferIp, notes } = context
  const connection = ipText(address)
  if (sent === automatic) return inferIp === 'never' ? '' : connection
  if (sent !== undefined && sent !== null && sent !== '') {
    const own = ipText(sent)
    if (own !== '') return own
    notes.add('user.ip_address', 'must be an IP address')
  }
  if (inferIp === 'never') return ''
  if (remoteAddress === automatic) return connection
  return ipText(remoteAddress) || (mayInfer(context) ? connection : '')
}

/** Where the program runs on the user's own device, the address of the connection is the user's. */
function mayInfer({ inferIp, platform }: UserContext): boolean {
  if (inferIp === 'auto') return true
  return platform === 'javascript' || platform === 'cocoa' || platform === 'objc'
}

function ipText(value: unknown): string {
  if (typeof value !== 'string') return ''
  const text = value.trim()
  return text.length <= 64 && isIP(text) !== 0 ? text : ''
}

/** Of the request's environment, before the request itself is read. */
export function remoteAddressOf(request: JsonObject | undefined): unknown {
  return readObject(request?.['env'])?.['REMOTE_ADDR']
}
