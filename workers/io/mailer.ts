/** Sends Sluice's own letters: warnings to owners. Not for campaigns, which keep books on every recipient. */
import { createTransport } from 'nodemailer'
import type { Letter } from '../jobs/quota-warning.ts'

export interface Mailer {
  /** Resolves when the server has taken the letter; rejects otherwise, and the job is tried again. */
  readonly send: (letter: Letter) => Promise<void>
  readonly close: () => void
}

const connectMsMax = 10_000
const socketMsMax = 30_000

export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: connectMsMax,
    socketTimeout: socketMsMax,
    // A letter of ours reads no file and fetches nothing, whatever stands in it.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async ({ to, subject, text, messageId }) => {
      await transport.sendMail({ from, to, subject, text, messageId })
    },
    close: () => transport.close(),
  }
}
