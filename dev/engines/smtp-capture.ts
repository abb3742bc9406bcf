/**
 * The capturing SMTP server as a process. It listens on loopback and accepts every sender, login
 * and recipient.
 */
import { simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { z } from 'zod'
import { systemClock } from '#platform/clock.ts'
import { Mailbox } from './mailbox.ts'

const Settings = z.object({ port: z.number(), mailboxDir: z.string() })

const emailBytesMax = 25 * 1024 * 1024

const settings = Settings.parse(JSON.parse(process.argv[2] ?? '{}'))
const mailbox = await Mailbox.open(settings.mailboxDir, systemClock)

const server = new SMTPServer({
  name: 'localhost',
  banner: 'Sluice captures emails and delivers none',
  size: emailBytesMax,
  authOptional: true,
  allowInsecureAuth: true,
  hideSTARTTLS: true,
  disableReverseLookup: true,
  maxClients: 100,
  onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anyone' }),
  onData: (stream, session, done) => {
    receive(stream, session).then(
      (id) => (id === undefined ? done(tooLarge()) : done(null, `stored as ${id}`)),
      (error: Error) => done(error),
    )
  },
})
server.on('error', () => undefined)
server.listen(settings.port, '127.0.0.1')

async function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const piece = chunk as Buffer
    bytes += piece.length
    // The reply is due only after the last byte, so an oversized email is read to its end.
    if (bytes <= emailBytesMax) chunks.push(piece)
  }
  if (stream.sizeExceeded || bytes > emailBytesMax) return undefined
  const raw = Buffer.concat(chunks)
  const { mailFrom, rcptTo } = session.envelope
  return mailbox.keep({
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map((recipient) => recipient.address),
    subject: await readSubject(raw),
    raw,
  })
}

async function readSubject(raw: Buffer): Promise<string> {
  const end = raw.indexOf('\r\n\r\n')
  const head = end === -1 ? raw : raw.subarray(0, end + 4)
  try {
    return (await simpleParser(head)).subject ?? ''
  } catch {
    return ''
  }
}

function tooLarge(): Error {
  const error = new Error(`the email is larger than ${emailBytesMax} bytes`)
  return Object.assign(error, { responseCode: 552 })
}

function stop(): void {
  server.close(() => process.exit(0))
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
process.on('SIGINT', stop)
