/**
 * A mail server for tests: it speaks a minimal SMTP, keeps the emails that it accepts, and can fail
 * in each phase. An email counts as `taken` when its final dot was read, whether or not the reply
 * reached the client, because the client cannot know that.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

export const sinkPhases = ['connect', 'hello', 'mail', 'rcpt', 'data', 'body', 'dot'] as const
export type SinkPhase = (typeof sinkPhases)[number]

export type SinkFault =
  /** The connection is cut; at `dot` after the email was read and before the reply. */
  { readonly kind: 'cut' } | { readonly kind: 'reply'; readonly reply: string }

export interface TakenEmail {
  readonly from: string
  readonly to: string
  readonly raw: string
}

export interface SinkOptions {
  /** Called in each phase of each email. */
  readonly fault?: (phase: SinkPhase, about: { readonly to: string }) => SinkFault | undefined
  /** If missing, emails are counted and not kept. */
  readonly onEmail?: (email: TakenEmail) => void
  readonly pipelining?: boolean
}

export class SmtpSink {
  taken = 0
  readonly #options: SinkOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(options: SinkOptions) {
    this.#options = options
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => this.#sockets.delete(socket))
      new SinkSession(socket, this.#options, () => {
        this.taken += 1
      })
    })
  }

  static async start(options: SinkOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options)
    await new Promise<void>((resolve) => sink.#server.listen(0, '127.0.0.1', resolve))
    return sink
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

class SinkSession {
  readonly #socket: Socket
  readonly #options: SinkOptions
  readonly #onTaken: () => void
  #from = ''
  #to = ''
  #inBody = false
  #rest = ''
  #isCut = false

  constructor(socket: Socket, options: SinkOptions, onTaken: () => void) {
    this.#socket = socket
    this.#options = options
    this.#onTaken = onTaken
    socket.on('data', (chunk) => this.#read(chunk.toString('latin1')))
    if (this.#passes('connect')) this.#reply('220 sink')
  }

  #read(chunk: string): void {
    this.#rest += chunk
    while (!this.#isCut) {
      if (this.#inBody) {
        if (!this.#readBody()) return
        continue
      }
      const end = this.#rest.indexOf('\r\n')
      if (end === -1) return
      const line = this.#rest.slice(0, end)
      this.#rest = this.#rest.slice(end + 2)
      this.#handle(line)
    }
  }

  /** Returns false if the body is not complete yet. */
  #readBody(): boolean {
    const isEmpty = this.#rest.startsWith('.\r\n')
    const end = isEmpty ? 0 : this.#rest.indexOf('\r\n.\r\n')
    if (end === -1) {
      if (this.#rest.length > 0 && this.#faultAt('body')?.kind === 'cut') this.#cut()
      return false
    }
    const raw = isEmpty ? '' : this.#rest.slice(0, end + 2)
    this.#rest = this.#rest.slice(isEmpty ? 3 : end + 5)
    this.#inBody = false
    const fault = this.#faultAt('dot')
    if (fault?.kind === 'reply') {
      this.#reply(fault.reply)
      return true
    }
    this.#onTaken()
    this.#options.onEmail?.({ from: this.#from, to: this.#to, raw })
    if (fault?.kind === 'cut') this.#cut()
    else this.#reply('250 2.0.0 taken')
    return true
  }

  #handle(line: string): void {
    const verb = line.slice(0, 4).toUpperCase()
    switch (verb) {
      case 'EHLO':
        if (this.#passes('hello')) {
          this.#reply(
            this.#options.pipelining === false ? '250 sink' : '250-sink\r\n250 PIPELINING',
          )
        }
        return
      case 'HELO':
        this.#reply('250 sink')
        return
      case 'MAIL':
        this.#to = ''
        this.#from = /<(.*?)>/.exec(line)?.[1] ?? ''
        if (this.#passes('mail')) this.#reply('250 2.1.0 sender ok')
        else this.#from = ''
        return
      case 'RCPT': {
        if (this.#from === '') {
          this.#reply('503 5.5.1 no sender')
          return
        }
        const to = /<(.*?)>/.exec(line)?.[1] ?? ''
        this.#to = to
        if (this.#passes('rcpt')) this.#reply('250 2.1.5 recipient ok')
        else this.#to = ''
        return
      }
      case 'DATA':
        if (this.#to === '') this.#reply('503 5.5.1 no recipient')
        else if (this.#passes('data')) {
          this.#inBody = true
          this.#reply('354 end data with a dot')
        }
        return
      case 'RSET':
        this.#reply('250 2.0.0 forgotten')
        return
      case 'QUIT':
        this.#socket.end('221 2.0.0 bye\r\n')
        return
      default:
        this.#reply('500 5.5.1 what?')
    }
  }

  /** Returns true if there is no fault in this phase. */
  #passes(phase: SinkPhase): boolean {
    const fault = this.#faultAt(phase)
    if (fault === undefined) return true
    if (fault.kind === 'cut') this.#cut()
    else this.#reply(fault.reply)
    return false
  }

  #faultAt(phase: SinkPhase): SinkFault | undefined {
    return this.#options.fault?.(phase, { to: this.#to })
  }

  #cut(): void {
    this.#isCut = true
    this.#socket.destroy()
  }

  #reply(reply: string): void {
    this.#socket.write(`${reply}\r\n`)
  }
}
