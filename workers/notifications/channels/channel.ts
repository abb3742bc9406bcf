/** A channel turns a notification into one HTTP request. It is a pure function of these values. */
import type { OutgoingRequest } from '#platform/http/safe-request/safe-request.ts'
import type { AlertTarget, AlertTargetType } from '#schemas/rest/alerts/target.ts'
import type { ShownNotification } from '../shown-notification.ts'

export interface ChannelMessage {
  /** Id of the delivery, the same for every attempt. */
  readonly id: string
  /** Time of the attempt. */
  readonly atMs: number
  /** What is stored, which is the body of a webhook. */
  readonly payload: unknown
  readonly shown: ShownNotification
  /** Secrets that sign a webhook now; two during a rotation. */
  readonly secrets: readonly string[]
  readonly urls: ChannelUrls
}

/** URLs of services, without a slash at the end. */
export interface ChannelUrls {
  readonly telegram: string
  readonly pagerduty: string
  /** Undefined: the URL of the region that the target names. */
  readonly opsgenie: string | undefined
}

export type TargetOf<Type extends AlertTargetType> = Extract<AlertTarget, { type: Type }>

export type Channel<Type extends AlertTargetType> = (
  target: TargetOf<Type>,
  message: ChannelMessage,
) => OutgoingRequest

export function jsonRequest(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): OutgoingRequest {
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { url, headers: { ...type, ...headers }, body: JSON.stringify(body) }
}

/** What a digest says at its end; undefined if all of its notifications are shown. */
export function moreText(more: number): string | undefined {
  return more > 0 ? `… and ${more} more` : undefined
}

/** Joins parts with line breaks as long as they fit. A part is kept or left out as a whole. */
export function joinWithin(parts: readonly (string | undefined)[], charactersMax: number): string {
  let joined = ''
  for (const part of parts) {
    if (part === undefined || part === '') continue
    const longer = joined === '' ? part : `${joined}\n${part}`
    if (charactersMax < longer.length) break
    joined = longer
  }
  return joined
}
