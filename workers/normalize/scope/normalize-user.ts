/** The user who was affected by the error. The client may leave the IP address to the server. */
import { isIP } from 'node:net'
import type { Place } from '../../places/place.ts'
import type { Draft } from '../draft.ts'
import type { EventUser } from '../event.ts'
import { fieldCharactersMax, smallBounds } from '../field-limits.ts'
import { boundObject, type JsonValue, type StoredData } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import { decodePayload } from '../values/parse-payload.ts'
import { readLenientText, readObject } from '../values/read-value.ts'

export function normalizeUser(draft: Draft): void {
  const { raw, sent, event, stored, inferIp, notes } = draft
  const { platform } = event
  const address = raw.address ?? ''
  const remoteAddress = readObject(readObject(sent.request)?.['env'])?.['REMOTE_ADDR']
  const context = { platform, address, remoteAddress, inferIp, sentPayload: raw.payload, notes }
  const read = readUser(sent.user, context)
  event.user = read.user
  stored.user = withPlace(read.stored, draft.place)
}

/** What the client says about the place stays. */
function withPlace(user: StoredData | undefined, place: Place | undefined): StoredData | undefined {
  if (place === undefined || readObject(user?.['geo']) !== undefined) return user
  return { ...user, geo: { ...place } }
}

export interface UserContext {
  readonly platform: string
  /** Client address of the connection; empty when it is unknown. */
  readonly address: string
  /** `REMOTE_ADDR` in the environment of the request, which the client's web server has set. */
  readonly remoteAddress: unknown
  /** `sdk.settings.infer_ip`. */
  readonly inferIp: unknown
  /** The payload as text, for an id with more digits than a number holds. */
  /** Bytes of the payload. */
  readonly sentPayload: Uint8Array
  readonly notes: Notes
}

export interface ReadUser {
  readonly user: EventUser
  readonly stored: StoredData | undefined
}

const automatic = '{{auto}}'

export function readUser(sent: unknown, context: UserContext): ReadUser {
  const { notes } = context
  const object = readObject(sent)
  if (object === undefined && sent !== undefined && sent !== null) {
    notes.add('user', 'must be an object')
  }
  const { id, email, username, name, ip_address, ...others } = object ?? {}
  const text = (value: unknown, field: string, charactersMax: number) =>
    readLenientText(value, { field: `user.${field}`, charactersMax, notes })

  const user: EventUser = {
    id: text(exactId(id, context.sentPayload), 'id', fieldCharactersMax.userId),
    email: text(email, 'email', fieldCharactersMax.email),
    name:
      text(username, 'username', fieldCharactersMax.userName) ||
      text(name, 'name', fieldCharactersMax.userName),
    ip: readIp(ip_address, context),
  }
  const stored: Record<string, JsonValue> = {}
  if (user.id !== '') stored['id'] = user.id
  if (user.email !== '') stored['email'] = user.email
  if (user.name !== '') stored['username'] = user.name
  if (user.ip !== '') stored['ip_address'] = user.ip
  const fullName = text(name, 'name', fieldCharactersMax.userName)
  if (fullName !== '' && fullName !== user.name) stored['name'] = fullName
  Object.assign(stored, boundObject(others, smallBounds, { field: 'user', notes }))
  return { user, stored: Object.keys(stored).length === 0 ? undefined : stored }
}

const idInUser =
  /"(?:user|sentry\.interfaces\.User)"\s*:\s*\{[^{}]*?"id"\s*:\s*(-?\d{16,64})[,}\s]/g

/**
 * Snowflake ids exceed 2^53, where `JSON.parse` rounds them and two users become one. Their digits
 * are read from the text again.
 */
function exactId(id: unknown, payload: Uint8Array): unknown {
  if (typeof id !== 'number' || Number.isSafeInteger(id) || !Number.isInteger(id)) return id
  for (const [, digits] of decodePayload(payload).matchAll(idInUser)) {
    if (Number(digits) === id) return digits
  }
  return id
}

export function readIp(sent: unknown, context: UserContext): string {
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

/** When the program runs on the user's own device, the address of the connection is the user's. */
function mayInfer({ inferIp, platform }: UserContext): boolean {
  if (inferIp === 'auto') return true
  return platform === 'javascript' || platform === 'cocoa' || platform === 'objc'
}

function ipText(value: unknown): string {
  if (typeof value !== 'string') return ''
  const text = value.trim()
  return text.length <= 64 && isIP(text) !== 0 ? text : ''
}
