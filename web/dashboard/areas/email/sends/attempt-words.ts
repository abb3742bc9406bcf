import type { Tone } from '../../../design/content/badge.tsx'
import type { Reply } from '../../../http/request.ts'

export type SendDetail = Reply<'GET /api/v1/admin/email/sends/{id}'>
export type Attempt = SendDetail['attemptLog'][number]

export const attemptResults: Readonly<Record<Attempt['result'], readonly [string, Tone]>> = {
  sent: ['Accepted', 'success'],
  deferred: ['Deferred', 'warning'],
  failed: ['Refused', 'danger'],
  uncertain: ['No reply', 'warning'],
}

const phases: Readonly<Record<NonNullable<Attempt['phase']>, string>> = {
  connect: 'when it was connected',
  hello: 'at HELO',
  auth: 'at the login',
  mail: 'at MAIL FROM, the sender',
  rcpt: 'at RCPT TO, the recipient',
  data: 'at DATA',
  message: 'after the whole email',
}

/** `smtp.example.com:587, TLSv1.3, at RCPT TO, the recipient`. */
export function placeOf({ server, tls, phase }: Pick<Attempt, 'server' | 'tls' | 'phase'>): string {
  return [
    server ?? 'Unknown server',
    server === null ? undefined : (tls ?? 'not encrypted'),
    phase === null ? undefined : phases[phase],
  ]
    .filter((part) => part !== undefined)
    .join(', ')
}

/** `450 4.2.0`; nothing if the connection was lost before a reply. */
export function codeOf({ code, enhanced }: Pick<Attempt, 'code' | 'enhanced'>): string {
  return [code, enhanced].filter((part) => part !== null).join(' ')
}

/** Attempts before the first one that is kept. */
export function attemptsNotKept(attempts: number, log: readonly Attempt[]): number {
  return log[0] === undefined ? attempts : Math.max(log[0].no - 1, 0)
}
