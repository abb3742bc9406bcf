/** What every adapter makes of its provider's words, so that all of them share one way on. */
import type { IncomingHttpHeaders } from 'node:http'
import {
  type BounceCause,
  type BounceKind,
  type BounceType,
  effectOf,
} from '#schemas/mail/bounce.ts'

export interface WebhookRequest {
  readonly headers: IncomingHttpHeaders
  /** As it came: signatures cover bytes. */
  readonly body: Buffer
  readonly nowMs: number
}

export type WebhookEvent =
  | {
      readonly kind: 'bounce'
      readonly email: string
      readonly cause: BounceCause
      readonly type: BounceType
      /** False: recorded for the operator, without effect on the address. */
      readonly counts: boolean
      readonly eventId: string | null
      /** As the provider quotes it. */
      readonly messageId: string | null
      readonly at: Date
      readonly excerpt: string | null
    }
  | {
      /** The mailbox took a letter: the end of a run of soft bounces. */
      readonly kind: 'delivered'
      readonly email: string
      readonly messageId: string | null
      readonly at: Date
    }
  | {
      /** The recipient unsubscribed at the provider: of the newsletter of that email, or of all when it names none. */
      readonly kind: 'unsubscribed'
      readonly email: string
      readonly messageId: string | null
      readonly at: Date
    }

/** A report before it is known what it means. */
export interface WebhookReport {
  readonly email: string
  readonly eventId: string | null
  readonly messageId: string | null
  readonly at: Date
  readonly excerpt: string | null
}

/** Undefined: informational. */
export function eventOfKind(kind: BounceKind, report: WebhookReport): WebhookEvent | undefined {
  if (kind === 'none') return undefined
  if (kind === 'unsubscribe') {
    const { email, messageId, at } = report
    return { kind: 'unsubscribed', email, messageId, at }
  }
  return { kind: 'bounce', ...report, cause: kind, ...effectOf(kind) }
}

export type WebhookReading =
  | {
      readonly kind: 'events'
      readonly events: readonly WebhookEvent[]
      /** Must not be taken again, once the events are recorded. */
      readonly token?: string
    }
  /** Not from whom it should be. */
  | { readonly kind: 'forged' }
  /** Authentic, or so it says, and not what the provider sends. */
  | { readonly kind: 'unreadable' }

/** Only one of them is looked at a second time; a payload is never larger. */
export const webhookBytesMax = 1024 * 1024

const excerptCharactersMax = 500
/** Enough for an excerpt, whatever of it is space. */
const excerptSourceCharactersMax = 10 * excerptCharactersMax

/** What a server said, for people: one line of bounded length that Postgres takes. */
export function excerptOf(...parts: unknown[]): string | null {
  const text = parts
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .map((part) => String(part).slice(0, excerptSourceCharactersMax))
    .join(' ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim()
  return text === '' ? null : text.slice(0, excerptCharactersMax).toWellFormed()
}

/** When it happened, as far as it can be believed: never later than now. */
export function timeOf(value: unknown, nowMs: number): Date {
  const ms = typeof value === 'number' ? value * 1000 : Date.parse(textOf(value) ?? '')
  return new Date(Number.isFinite(ms) && ms > 0 && ms < nowMs ? ms : nowMs)
}

const idCharactersMax = 300

export function idOf(...parts: unknown[]): string | null {
  const [first] = parts
  if (typeof first !== 'string' && typeof first !== 'number') return null
  const id = parts.join(' ').replaceAll('\0', '').toWellFormed()
  return first === '' ? null : id.slice(0, idCharactersMax).toWellFormed()
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Sometimes with a name, as in `Ada <ada@example.com>`. */
export function mailboxOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const from = value.lastIndexOf('<')
  const bare = value.trimEnd()
  return from !== -1 && bare.endsWith('>') ? bare.slice(from + 1, -1) : value
}

export function asList<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

type Json = Readonly<Record<string, unknown>>

/** A field of what is an object, or nothing. */
export function part(value: unknown, ...path: string[]): unknown {
  let inner = value
  for (const name of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined
    inner = (inner as Json)[name]
  }
  return inner
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
