/**
 * The events that all adapters produce from the payloads of their providers, and helpers to read
 * those payloads.
 */
import type { IncomingHttpHeaders } from 'node:http'
import {
  type BounceCause,
  type BounceKind,
  type BounceType,
  effectOf,
} from '#schemas/mail/bounce.ts'

export interface WebhookRequest {
  readonly headers: IncomingHttpHeaders
  /** The raw bytes, which signatures cover. */
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
      /** The Message-ID as the provider quotes it. */
      readonly messageId: string | null
      readonly at: Date
      readonly excerpt: string | null
    }
  | {
      /** The email was delivered, which ends a run of soft bounces. */
      readonly kind: 'delivered'
      readonly email: string
      readonly messageId: string | null
      readonly at: Date
    }
  | {
      /**
       * The recipient unsubscribed at the provider: from the email's newsletter, or from all if it
       * names no email.
       */
      readonly kind: 'unsubscribed'
      readonly email: string
      readonly messageId: string | null
      readonly at: Date
    }

/** A report before it is classified. */
export interface WebhookReport {
  readonly email: string
  readonly eventId: string | null
  readonly messageId: string | null
  readonly at: Date
  readonly excerpt: string | null
}

/** Undefined: the report is informational and nothing is recorded. */
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
      /** A token that must not be accepted again once the events are recorded. */
      readonly token?: string
    }
  /** The payload is not signed by the provider. */
  | { readonly kind: 'forged' }
  /** The payload has another form than those of the provider. */
  | { readonly kind: 'unreadable' }

/** Bytes of one payload at most. */
export const webhookBytesMax = 1024 * 1024

const excerptCharactersMax = 500
/** Enough for an excerpt of a text that is mostly white space. */
const excerptSourceCharactersMax = 10 * excerptCharactersMax

/** Reduces the reply of a server to one line of bounded length that Postgres can store. */
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

/** The time of the event: at most now, and now if the time is invalid. */
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

/** The address of `Ada <ada@example.com>` or of a bare address. */
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

/** The field at a path of objects; undefined when it is missing. */
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
