/**
 * One SMTP session (RFC 5321), written for one question that a general client does not answer: when
 * the connection is lost, had the last byte of the email been written? Only then can the server
 * have accepted it. So an email is written by one call whose completion is noted, and a loss tells
 * whether it happened before or after.
 *
 * If the server offers PIPELINING (RFC 2920), MAIL, RCPT and DATA are sent together: two round
 * trips per email instead of four.
 */
import type { Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { logIn } from './log-in.ts'
import { openSocket, serverName } from './open-socket.ts'
import { type Reply, ReplyReader } from './reply-reader.ts'
import type { SmtpPhase } from './smtp-reply.ts'
import type { SmtpSettings } from './smtp-settings.ts'

export interface Envelope {
  readonly from: string
  readonly to: string
}

export type Submission =
  | { readonly kind: 'taken'; readonly reply: Reply }
  | { readonly kind: 'refused'; readonly phase: SmtpPhase; readonly reply: Reply }
  /** `written`: the whole email had been written, so it is unknown whether it was accepted. */
  | { readonly kind: 'lost'; readonly written: boolean; readonly reason: string }

/** What is told about the connection of an attempt. */
export interface SmtpSession {
  /** Host and port. */
  readonly server: string
  /** The version, such as `TLSv1.3`; undefined: not encrypted. */
  readonly tls: string | undefined
}

/**
 * The server cannot be used: it is unreachable, refuses us, or lacks TLS. No email is the cause.
 */
export class SmtpUnavailable extends Error {}

export interface SmtpTimes {
  readonly connectMs: number
  readonly greetingMs: number
  /** Maximum silence during a command or an email. */
  readonly answerMs: number
}

export const smtpTimes: SmtpTimes = { connectMs: 10_000, greetingMs: 10_000, answerMs: 60_000 }

interface Waiting {
  readonly settle: (reply: Reply) => void
  readonly fail: (error: Error) => void
}

export class SmtpConnection {
  #socket: Socket
  readonly #settings: SmtpSettings
  readonly #waiting: Waiting[] = []
  #replies = new ReplyReader()
  #extensions: ReadonlySet<string> = new Set()
  #ended: Error | undefined
  #isOpening = true
  #session: SmtpSession | undefined
  emailsSent = 0

  private constructor(settings: SmtpSettings, socket: Socket) {
    this.#settings = settings
    this.#socket = socket
  }

  /**
   * Opens a session: greeted, encrypted if required, and logged in. Rejects with SmtpUnavailable.
   */
  static async open(settings: SmtpSettings, times: SmtpTimes = smtpTimes): Promise<SmtpConnection> {
    const socket = await openSocket(settings, times.connectMs).catch((error: unknown) => {
      throw unavailable(error)
    })
    const connection = new SmtpConnection(settings, socket)
    try {
      socket.setTimeout(times.greetingMs)
      connection.#listen()
      await connection.#greet()
      connection.#isOpening = false
      connection.#session = { server: serverOf(settings), tls: connection.#tlsVersion() }
      connection.#socket.setTimeout(times.answerMs)
      return connection
    } catch (error) {
      connection.destroy()
      throw error instanceof SmtpUnavailable ? error : unavailable(error)
    }
  }

  get isOpen(): boolean {
    return this.#ended === undefined
  }

  get isEncrypted(): boolean {
    return this.#socket instanceof TLSSocket
  }

  /** Undefined until it is open. */
  get session(): SmtpSession | undefined {
    return this.#session
  }

  get isWornOut(): boolean {
    return this.emailsSent >= this.#settings.emailsPerConnectionMax
  }

  /** Sends one email, whose lines are complete, including the last one. Never rejects. */
  submit(envelope: Envelope, message: Buffer): Promise<Submission> {
    return this.submitEnded(envelope, withEnd(message))
  }

  /**
   * Like `submit`, with a message that ends with the line of a single dot; no other line begins
   * with one.
   */
  async submitEnded(envelope: Envelope, message: Buffer): Promise<Submission> {
    this.emailsSent += 1
    let written = false
    try {
      const refused = await this.#announce(envelope, message.length - end.length)
      if (refused !== undefined) return refused
      const reply = await this.#exchange(message, () => {
        written = true
      })
      if (reply.code >= 400) {
        // Refused before its end: what is still on its way would count as commands.
        if (!written) this.destroy()
        return await this.#refused('message', reply)
      }
      if (reply.code < 300 && written) return { kind: 'taken', reply }
      // The server may take what is on its way, although it answered before it had the end.
      written = true
      throw new Error(`the email was answered ${reply.code}`)
    } catch (error) {
      this.destroy()
      return { kind: 'lost', written, reason: reasonOf(error) }
    }
  }

  /** Sends QUIT, and does not wait long for the reply. */
  async close(): Promise<void> {
    if (this.#ended !== undefined) return
    this.#socket.setTimeout(1_000)
    await this.#command('QUIT').catch(() => undefined)
    this.destroy()
  }

  destroy(): void {
    this.#end(new Error('we closed the connection'))
    this.#socket.destroy()
  }

  #tlsVersion(): string | undefined {
    const socket = this.#socket
    return socket instanceof TLSSocket ? (socket.getProtocol() ?? 'TLS') : undefined
  }

  async #greet(): Promise<void> {
    const greeting = await this.#reply()
    if (greeting.code !== 220) throw refusedUs('the greeting', greeting)
    await this.#hello()
    const { tls } = this.#settings
    if (tls === 'required' || tls === 'offered') {
      if (this.#extensions.has('STARTTLS')) await this.#startTls()
      else if (tls === 'required') {
        throw new SmtpUnavailable('the server offers no TLS, and it is not on this machine')
      }
    }
    const { user, password } = this.#settings
    if (user === undefined) return
    const answer = await logIn({ user, password }, this.#extensions, (line) => this.#command(line))
    if (answer.code !== 235) throw refusedUs('the login', answer)
  }

  async #hello(): Promise<void> {
    const reply = await this.#command(`EHLO ${this.#settings.helloName}`)
    if (reply.code !== 250) {
      const plain = await this.#command(`HELO ${this.#settings.helloName}`)
      if (plain.code !== 250) throw refusedUs('HELO', plain)
      this.#extensions = new Set()
      return
    }
    this.#extensions = new Set(reply.lines.slice(1).flatMap(extensionsOf))
  }

  async #startTls(): Promise<void> {
    const reply = await this.#command('STARTTLS')
    if (reply.code !== 220) throw refusedUs('STARTTLS', reply)
    const plain = this.#socket
    plain.removeAllListeners()
    plain.on('error', () => undefined)
    // Replies received in clear text must not count as replies under TLS.
    this.#replies = new ReplyReader()
    const { host, rejectUnauthorized } = this.#settings
    const secure = connectTls({ socket: plain, ...serverName(host), rejectUnauthorized })
    secure.setTimeout(plain.timeout ?? smtpTimes.greetingMs)
    plain.on('close', () => secure.destroy())
    this.#socket = secure
    this.#listen()
    await new Promise<void>((resolve, reject) => {
      secure.once('secureConnect', resolve)
      secure.once('error', reject)
      secure.once('close', () => reject(new Error('the connection was closed')))
    })
    await this.#hello()
  }

  /** Undefined if the server waits for the email. */
  async #announce({ from, to }: Envelope, bytes: number): Promise<Submission | undefined> {
    const size = this.#extensions.has('SIZE') ? ` SIZE=${bytes}` : ''
    const commands = [`MAIL FROM:<${from}>${size}`, `RCPT TO:<${to}>`, 'DATA'] as const
    const phases = ['mail', 'rcpt', 'data'] as const
    const isGood = [
      (code: number) => code === 250,
      (code: number) => code === 250 || code === 251,
      (code: number) => code === 354,
    ] as const
    if (!this.#extensions.has('PIPELINING')) {
      for (const [at, command] of commands.entries()) {
        const reply = await this.#command(command)
        if (!isGood[at]!(reply.code)) return this.#refused(phases[at]!, reply)
      }
      return undefined
    }
    const replies = commands.map(() => this.#reply())
    // A rejection is seen when its reply is awaited; those after a refusal are not.
    for (const reply of replies) reply.catch(() => undefined)
    this.#socket.write(`${commands.join('\r\n')}\r\n`, 'latin1')
    for (const [at, pending] of replies.entries()) {
      const reply = await pending
      if (!isGood[at]!(reply.code)) return this.#refusedInGroup(phases[at]!, reply, replies.at(-1)!)
    }
    return undefined
  }

  /** The replies to the commands after the refused one follow, unless the server closes. */
  async #refusedInGroup(
    phase: SmtpPhase,
    reply: Reply,
    toData: Promise<Reply>,
  ): Promise<Submission> {
    if (reply.code !== 421) {
      const last = phase === 'data' ? undefined : await toData.catch(() => undefined)
      // A server may reply 354 although it refused the sender or recipient (RFC 2920 §3.1), and
      // would accept an empty email now: close the connection.
      if (last?.code === 354) this.destroy()
    }
    return this.#refused(phase, reply)
  }

  async #refused(phase: SmtpPhase, reply: Reply): Promise<Submission> {
    // 421: the server closes the connection; the refusal counts all the same.
    if (this.#ended !== undefined) return { kind: 'refused', phase, reply }
    if (reply.code === 421) this.destroy()
    else if (phase !== 'message') await this.#command('RSET').catch(() => this.destroy())
    return { kind: 'refused', phase, reply }
  }

  #command(line: string): Promise<Reply> {
    this.#socket.write(`${line}\r\n`)
    return this.#reply()
  }

  #exchange(bytes: Buffer, onWritten: () => void): Promise<Reply> {
    const reply = this.#reply()
    if (this.#ended === undefined) {
      this.#socket.write(bytes, (error) => {
        if (!error) onWritten()
      })
    }
    return reply
  }

  #reply(): Promise<Reply> {
    return new Promise((settle, fail) => {
      if (this.#ended !== undefined) fail(this.#ended)
      else this.#waiting.push({ settle, fail })
    })
  }

  #listen(): void {
    const socket = this.#socket
    socket.on('data', (chunk) => {
      try {
        for (const reply of this.#replies.push(chunk.toString('utf8'))) this.#take(reply)
      } catch (error) {
        this.#end(error as Error)
        socket.destroy()
      }
    })
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => this.#end(new Error('the connection was closed')))
    socket.on('end', () => socket.destroy())
    socket.on('timeout', () => {
      // A connection without an email in progress is idle, not silent.
      if (this.#waiting.length === 0 && !this.#isOpening) return
      this.#end(new Error('the server did not answer in time'))
      socket.destroy()
    })
  }

  #take(reply: Reply): void {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) waiting.settle(reply)
    else {
      // An unsolicited reply: 421 before the server closes the connection.
      this.#end(new Error(`the server said ${reply.code} ${reply.text}`))
      this.#socket.destroy()
    }
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const waiting of this.#waiting.splice(0)) waiting.fail(this.#ended)
  }
}

/** A host that is an IPv6 address is put in brackets. */
function serverOf({ host, port }: SmtpSettings): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** `AUTH PLAIN LOGIN` becomes AUTH, AUTH PLAIN and AUTH LOGIN. */
function extensionsOf(line: string): string[] {
  const [name = '', ...values] = line.toUpperCase().split(/[ =]/)
  return [name, ...values.map((value) => `${name} ${value}`)]
}

const dotLine = Buffer.from('\r\n.')
const end = Buffer.from('.\r\n')

/** Dot-stuffing: lines that begin with a dot get another one (RFC 5321 §4.5.2). */
function withEnd(message: Buffer): Buffer {
  if (message[0] !== 0x2e && !message.includes(dotLine)) return Buffer.concat([message, end])
  const stuffed = message.toString('latin1').replace(/^\./gm, '..')
  return Buffer.concat([Buffer.from(stuffed, 'latin1'), end])
}

function refusedUs(what: string, { code, text }: Reply): SmtpUnavailable {
  return new SmtpUnavailable(`${what} was answered ${code} ${text}`)
}

function unavailable(error: unknown): SmtpUnavailable {
  return new SmtpUnavailable(reasonOf(error), { cause: error })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message === '' ? ((error as { code?: string }).code ?? error.name) : error.message
}
