/**
 * Decides whether an organization may send from an address: its domain must be one that the
 * organization has verified or that the operator allowed. Other emails are refused before they are
 * stored, because they could be sent in the name of others.
 */
import { CodedError } from '#schemas/error-codes.ts'
import {
  domainOfAddress,
  unverifiedButAllowedSentence,
  unverifiedFromSentence,
} from '#schemas/mail/from-domain.ts'
import type { Database } from '../database.ts'
import { fromDomainState } from './sending-domain-store.ts'

export interface FromAddress {
  readonly organizationId: string
  readonly address: string
}

export type FromVerdict =
  | { readonly kind: 'ok'; readonly domain: string }
  /**
   * `warning`: the email is sent, although the DNS records of the domain are wrong now or the
   * domain is not verified.
   */
  | { readonly kind: 'warning' | 'refused'; readonly domain: string; readonly sentence: string }

interface FromContext {
  readonly pg: Database
  /** MAIL_ALLOW_UNVERIFIED_FROM */
  readonly allowUnverifiedFrom: boolean
}

export async function judgeFromAddress(
  { pg, allowUnverifiedFrom }: FromContext,
  { organizationId, address }: FromAddress,
): Promise<FromVerdict> {
  const domain = domainOfAddress(address)
  const state = await fromDomainState(pg, { organizationId, domain })
  if (state === 'verified' || state === 'allowed') return { kind: 'ok', domain }
  if (state === 'lapsed') {
    const sentence = `The DNS records of ${domain} are not right any more, so its emails leave unsigned: see its sending domain.`
    return { kind: 'warning', domain, sentence }
  }
  return allowUnverifiedFrom
    ? { kind: 'warning', domain, sentence: unverifiedButAllowedSentence(domain) }
    : { kind: 'refused', domain, sentence: unverifiedFromSentence(domain) }
}

/**
 * Throws 400 with the domain and what to do. `field`: the field with the address, or with the
 * newsletter that has it.
 */
export async function requireFromAddress(
  ctx: FromContext,
  from: FromAddress,
  field: string,
): Promise<void> {
  const verdict = await judgeFromAddress(ctx, from)
  if (verdict.kind !== 'refused') return
  throw new CodedError('validation_failed', {
    message: `${field}: ${verdict.sentence}`,
    details: [
      { field, rule: `must be of a verified or allowed domain, and ${verdict.domain} is neither` },
    ],
  })
}
