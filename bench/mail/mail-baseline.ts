/**
 * nodemailer's pool alone: the letters are made already, it composes, signs and sends them. What
 * the product is compared with.
 */
import { createPrivateKey } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { benchEmail, signedFields } from './mail-message.ts'

const Settings = z.object({
  url: z.string(),
  emails: z.number(),
  connections: z.number(),
  /** PEM; undefined: unsigned. */
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
          // As a KeyObject: as text it would be parsed for each letter, which would flatter us.
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

// A few more than there are lines, so that none waits for us.
await Promise.all(Array.from({ length: connections * 2 }, sendSome))
transport.close()
