/**
 * The plan of the embedded SMTP server: it accepts every email, delivers none, and stores them for
 * the mailbox of the API.
 */
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { nodeLaunch } from '../processes/node-launch.ts'
import type { Engine } from './engine.ts'

export interface SmtpOptions {
  readonly mailboxDir: string
  readonly port: number
  readonly env: NodeJS.ProcessEnv
}

export function embeddedSmtp(options: SmtpOptions): Engine {
  const settings = { port: options.port, mailboxDir: options.mailboxDir }
  return {
    url: `smtp://127.0.0.1:${options.port}`,
    outsideFolders: [],
    plan: {
      name: 'smtp',
      launch: async () => {
        await mkdir(options.mailboxDir, { recursive: true, mode: 0o700 })
        return nodeLaunch('dev/engines/smtp-capture.js', [JSON.stringify(settings)], options.env)
      },
      probe: () => reach(options.port),
      readyMsMax: 30_000,
      stopSteps: [{ signal: 'SIGTERM', waitMs: 3_000 }],
    },
  }
}

function reach(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 })
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(new Error('timeout')))
    // The greeting proves that an SMTP server has the port.
    socket.once('data', () => {
      socket.end('QUIT\r\n')
      resolve()
    })
  })
}
