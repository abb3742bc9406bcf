/** The SMTP server: reachable, encrypted, accepts the login. No email is sent. */
import { SmtpConnection } from '#platform/smtp/smtp-connection.ts'
import { readSmtpUrl, type SmtpSettings } from '#platform/smtp/smtp-settings.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'
import { isLoopback } from '../host-kinds.ts'
import { reasonOf } from '../reason-of.ts'

const smtp = of('smtp')
const times = { connectMs: 2_000, greetingMs: 2_000, answerMs: 1_000 }

export const smtpCheck: Check = {
  group: 'smtp',
  run: async ({ settings }) => {
    const url = settings.get('SMTP_URL')
    if (url === undefined) {
      return settings.isSet('SMTP_URL')
        ? [smtp.skipped('session', 'SMTP_URL is not valid.')]
        : [smtp.problem('session', 'SMTP_URL is not set.', 'Set it, and start the mailer.')]
    }
    return session(readSmtpUrl(url))
  },
}

async function session(settings: SmtpSettings): Promise<Finding[]> {
  const { host, port, user } = settings
  let connection: SmtpConnection
  try {
    connection = await SmtpConnection.open(settings, times)
  } catch (error) {
    const reason = reasonOf(error)
    return [
      smtp.problem('session', `${host}:${port} cannot be used: ${reason}.`, adviceFor(reason)),
    ]
  }
  const isEncrypted = connection.isEncrypted
  await connection.close()
  const login = user === undefined ? 'without a login' : 'with the login'
  return [
    smtp.ok('session', `${host}:${port} accepts a session ${login}.`),
    ...encryption(settings, isEncrypted),
  ]
}

function adviceFor(reason: string): string {
  if (/login/.test(reason)) return 'Correct user and password in SMTP_URL (URL-encoded).'
  if (/TLS|certificate|self-signed/i.test(reason)) {
    return 'Use the host name of its certificate, port 587 with smtp:// or 465 with smtps://.'
  }
  return 'Start it, or correct host and port in SMTP_URL; many networks block port 25.'
}

function encryption({ host, rejectUnauthorized }: SmtpSettings, isEncrypted: boolean): Finding[] {
  if (isLoopback(host)) return []
  if (!isEncrypted) {
    return [
      smtp.warning(
        'tls',
        `Emails go to ${host} in clear text.`,
        'Remove ignoreTLS from SMTP_URL, unless the relay is in your own network.',
      ),
    ]
  }
  if (rejectUnauthorized) return [smtp.ok('tls', 'The session is encrypted.')]
  return [
    smtp.warning(
      'tls',
      'The session is encrypted, and any certificate is accepted.',
      'Remove rejectUnauthorized=false from SMTP_URL.',
    ),
  ]
}
