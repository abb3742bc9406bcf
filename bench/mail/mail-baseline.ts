/**
 * The baseline of the mail benchmark: nodemailer's pool, which composes, signs and sends emails
 * that are rendered beforehand.
 */
import { createPrivateKey } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { benchEmail, signedFields } from './mail-message.ts'

const Settings = z.object({
  url: z.string(),
  emails: z.number(),
  connections: z.number(),
  /** PEM. Undefined: unsigned. */
  key: z.string().optional(),
})

const { url, emails, connections, key } = Settings.parse(JSON.parse(process.argv[2] ?? '{}'))
const { hostname, port } = new URL(url)
const transport = createTransport({
  pool: true,
  host: hostname,
  port: Number(port),
  maxConnections: connections,
  maxMessages: 100_000,
  maxRequeues: 0,
  disableFileAccess: true,
  disableUrlAccess: true,
  ...(key === undefined
    ? {}
    : {
        dkim: {
          domainName: 'sender.test',
          keySelector: 's1',
          // A PEM text would be parsed for each email, which would slow the baseline down.
          privateKey: createPrivateKey(key) as unknown as string,
          headerFieldNames: signedFields,
        },
      }),
})

let next = 0
async function sendSome(): Promise<void> {
  while (next < emails) {
    const email = benchEmail(next)
    next += 1
    await transport.sendMail(email)
  }
}

// More than there are connections, so that none is idle.
await Promise.all(Array.from({ length: connections * 2 }, sendSome))
transport.close()
