/** Runs mailer processes as the product does; a test may kill them at any moment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { inheritedEnv } from '#platform/env.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { nodeLaunch } from '../../dev/processes/node-launch.ts'

export interface MailerSettings {
  readonly postgresUrl: string
  readonly smtpUrl: string
  readonly secret: string
  readonly env?: Readonly<Record<string, string>>
}

const logBytesKept = 20_000

export class MailerChild {
  readonly #child: ChildProcess
  readonly port: number
  log = ''

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
    const keep = (chunk: Buffer) => {
      this.log = (this.log + chunk.toString()).slice(-logBytesKept)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
  }

  static async start(settings: MailerSettings): Promise<MailerChild> {
    const port = await freePort()
    const env = {
      ...inheritedEnv(),
      LOG_LEVEL: 'warn',
      POSTGRES_URL: settings.postgresUrl,
      SMTP_URL: settings.smtpUrl,
      SLUICE_SECRET: settings.secret,
      API_URL: 'https://mail.example.test',
      MAILER_PORT: String(port),
      ...settings.env,
    }
    const launch = nodeLaunch('workers/mail/main.js', [], env)
    const child = spawn(launch.file, launch.args, {
      env,
      cwd: launch.cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    return new MailerChild(child, port)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  /** Sends SIGTERM and returns the exit code. */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return this.#child.exitCode
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await gone
    return this.#child.exitCode
  }
}
