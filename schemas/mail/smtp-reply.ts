/**
 * What a refusal in an SMTP session says about the recipient (RFC 5321 reply codes, RFC 3463 enhanced status codes). The costly
 * mistake is to read a word about ourselves as one about the mailbox: a broken DKIM record would then suppress the whole list. So
 * only the codes that can mean nothing else count as bounces, and everything unclear is ours to look into.
 */

/** `message`: after the final dot of DATA. */
export type SmtpPhase = 'connect' | 'hello' | 'auth' | 'mail' | 'rcpt' | 'data' | 'message'

export interface SmtpReply {
  /** Undefined or 0: the line broke before there was an answer. */
  readonly code: number | undefined
  /** As in `5.1.1`; undefined: read from the text when it stands there. */
  readonly enhanced?: string | undefined
  readonly text: string
  readonly phase: SmtpPhase
}

/**
 * hard: there is no such mailbox. soft: the mailbox cannot take it now. retry: nobody's bounce, yet worth trying again; a soft one
 * when it is given up. ours: our reputation, our DNS or our mistake; the letter failed and the address stays clean.
 */
export type SmtpVerdict = 'hard' | 'soft' | 'retry' | 'ours'

const recipientPhases: ReadonlySet<SmtpPhase> = new Set(['rcpt', 'data', 'message'])
const hardStatuses: ReadonlySet<string> = new Set(['1.1', '1.2', '1.3', '1.6', '1.10', '2.1'])
const softStatuses: ReadonlySet<string> = new Set(['2.2', '2.3'])
/** Codes of a server that sends no enhanced status, or one that says nothing. */
const mailboxCodes: ReadonlySet<number> = new Set([550, 551, 553])
const emptyStatuses: ReadonlySet<string> = new Set(['0.0', '1.0', '2.0'])

export function classifySmtpReply(reply: SmtpReply): SmtpVerdict {
  const code = reply.code ?? 0
  if (code < 400 || code === 421) return 'retry'
  const status = statusOf(reply)
  if (!recipientPhases.has(reply.phase)) return code < 500 ? 'retry' : 'ours'

  if (code < 500) {
    if (status === '2.0' && greylistPattern.test(reply.text)) return 'retry'
    return status?.startsWith('2.') === true ? 'soft' : 'retry'
  }
  if (status === undefined || emptyStatuses.has(status)) return classifyByWords(code, reply)
  if (hardStatuses.has(status)) return 'hard'
  return softStatuses.has(status) ? 'soft' : 'ours'
}

const enhancedPattern = /^\s*(?:[245]\d\d[ -]\s*)?[245]\.(\d{1,3}\.\d{1,3})(?!\d)/

/** Subject and detail without the class: the three-digit code says whether it is for good. */
function statusOf({ enhanced, text }: SmtpReply): string | undefined {
  return enhancedPattern.exec(enhanced ?? text)?.[1]
}

const unknownPattern =
  /\b(?:user|mailbox|recipient|account|address(?:ee)?)\b[^.;]{0,80}?\b(?:unknown|not found|does ?n[o']t exist|not exist|no longer exists?|invalid|is inactive)\b|\b(?:unknown|no such|invalid)\s+(?:local\s+)?(?:user|mailbox|recipient|account|address(?:ee)?)\b|\bno mailbox (?:here )?by that name\b/i
const fullPattern =
  /\b(?:mailbox|inbox|user)\b[^.;]{0,40}\bfull\b|\b(?:over|exceeded?s?)\b[^.;]{0,30}\bquota\b|\bquota (?:exceeded|full)\b/i
/** Words of a refusal that is about who sends; beside them a "recipient" means little. */
const aboutUsPattern =
  /\b(?:sender|spam|blocked|blacklist(?:ed)?|blocklist(?:ed)?|block list|policy|reputation|dkim|spf|dmarc|relay(?:ing)?|rbl|dnsbl|helo|ehlo|ptr|reverse dns)\b/i
/** Greylisting servers call it a mailbox's status, for want of a better one. */
const greylistPattern = /gr[ae]y[- ]?list|try again|later|temporar/i

/** Only at RCPT: a "user unknown" after DATA may as well be a filter's. */
function classifyByWords(code: number, { text, phase }: SmtpReply): SmtpVerdict {
  if (aboutUsPattern.test(text)) return 'ours'
  if (fullPattern.test(text)) return 'soft'
  const isUnknown = phase === 'rcpt' && mailboxCodes.has(code) && unknownPattern.test(text)
  return isUnknown ? 'hard' : 'ours'
}
