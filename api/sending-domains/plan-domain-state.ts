/**
 * Decides the state of a sending domain from its last check, without I/O.
 *
 *   pending -> verified        all needed records pass, and the organization has proven the domain
 *   verified -> failed         a needed record is missing or wrong: at once
 *                              the name servers do not answer: after 3 checks over 72 hours
 *   failed -> verified         all needed records pass again
 *   any -> pending or failed   another organization has proven the domain, and this one has not
 *
 * DMARC is not among the needed records: it is a policy for receivers and changes neither whose
 * domain it is nor whether a signature can be verified.
 */
import type {
  DnsRecordCheck,
  DnsRecordUse,
  SendingDomainState,
} from '#schemas/rest/email/sending-domain.ts'

export interface DomainStanding {
  readonly domain: string
  readonly state: SendingDomainState
  readonly proofRequired: boolean
  /** This organization has proven the domain, and no other one after it. */
  readonly isOwned: boolean
  readonly unansweredChecks: number
  readonly unansweredSince: Date | null
}

/** Another organization that has the same domain and has proven it. */
export interface OtherOwner {
  /** Its token is still published. */
  readonly isProvenNow: boolean
}

export interface DomainPlan {
  readonly state: SendingDomainState
  readonly reason: string | null
  readonly isOwned: boolean
  /** The other organization loses the domain. */
  readonly takesOver: boolean
  readonly unansweredChecks: number
  readonly unansweredSince: Date | null
  readonly nextCheckMs: number
}

const hourMs = 3_600_000
const unansweredChecksMax = 3
const unansweredMsMax = 72 * hourMs
const nextCheckMs: Readonly<Record<SendingDomainState, number>> = {
  verified: 24 * hourMs,
  failed: hourMs,
  pending: 6 * hourMs,
}
const unansweredNextMs = 6 * hourMs

export function planDomainState(
  now: Date,
  standing: DomainStanding,
  checks: readonly DnsRecordCheck[],
  other: OtherOwner | undefined,
): DomainPlan {
  const { domain, proofRequired } = standing
  const isProvenByText = stateOf(checks, 'proof') === 'pass'
  // The public key of this organization in the DNS proves the domain as well, but not against the
  // proof of another organization.
  const isProven = isProvenByText || (!proofRequired && stateOf(checks, 'dkim') === 'pass')
  const isTaken = other !== undefined && (other.isProvenNow || !isProvenByText)
  const needed: DnsRecordUse[] = [...(proofRequired ? (['proof'] as const) : []), 'dkim', 'spf']
  const states = needed.map((use) => stateOf(checks, use))
  const notVerified = standing.state === 'pending' ? 'pending' : 'failed'
  const answered = { unansweredChecks: 0, unansweredSince: null }

  if (isTaken) {
    return {
      ...plan(notVerified, takenReason(domain)),
      ...answered,
      isOwned: false,
      takesOver: false,
    }
  }
  const isOwned = standing.isOwned || isProven
  const owner = { isOwned, takesOver: other !== undefined }
  if (states.some((state) => state === 'missing' || state === 'wrong')) {
    return { ...plan(notVerified, failedReason(needed, checks)), ...answered, ...owner }
  }
  if (states.every((state) => state === 'pass') && isOwned) {
    return { ...plan('verified', null), ...answered, ...owner }
  }
  return { ...planUnanswered(now, standing), ...owner }
}

function planUnanswered(now: Date, standing: DomainStanding) {
  const unansweredChecks = standing.unansweredChecks + 1
  const unansweredSince = standing.unansweredSince ?? now
  const isTooLong =
    unansweredChecks >= unansweredChecksMax &&
    now.getTime() - unansweredSince.getTime() >= unansweredMsMax
  const state = standing.state === 'verified' && isTooLong ? 'failed' : standing.state
  const reason =
    state === 'verified'
      ? null
      : `The name servers of ${standing.domain} have not answered since ${unansweredSince.toISOString()}.`
  return { state, reason, unansweredChecks, unansweredSince, nextCheckMs: unansweredNextMs }
}

function plan(state: SendingDomainState, reason: string | null) {
  return { state, reason, nextCheckMs: nextCheckMs[state] }
}

function stateOf(checks: readonly DnsRecordCheck[], use: DnsRecordUse): DnsRecordCheck['state'] {
  return checks.find((check) => check.use === use)?.state ?? 'unknown'
}

function failedReason(needed: readonly DnsRecordUse[], checks: readonly DnsRecordCheck[]): string {
  const failing = checks.filter(
    ({ use, state }) => needed.includes(use) && (state === 'missing' || state === 'wrong'),
  )
  return failing.map(({ use, hint }) => `${use.toUpperCase()}: ${hint ?? 'wrong.'}`).join(' ')
}

function takenReason(domain: string): string {
  return `Another organization has proven that ${domain} is its own. Publish your own proof record, and remove the other one.`
}
