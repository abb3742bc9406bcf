/** Assembles complete replies (RFC 5321 §4.2) from chunks. */
import type { SmtpReply as ClassifiedReply } from './smtp-reply.ts'

export interface Reply {
  readonly code: number
  /** Enhanced status code (RFC 2034), such as `5.1.1`. */
  readonly enhanced: string | undefined
  /** All lines joined, without their codes. */
  readonly text: string
  readonly lines: readonly string[]
}

export type RefusedReply = ClassifiedReply

const replyBytesMax = 64 * 1024
const textCharactersMax = 500

export class ReplyReader {
  #rest = ''
  #lines: string[] = []
  #bytes = 0

  /** Throws if the bytes are not SMTP, or too many. */
  push(chunk: string): Reply[] {
    const replies: Reply[] = []
    let from = 0
    const text = this.#rest === '' ? chunk : this.#rest + chunk
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = text.slice(from, text[end - 1] === '\r' ? end - 1 : end)
      from = end + 1
      const reply = this.#take(line)
      if (reply !== undefined) replies.push(reply)
    }
    this.#rest = text.slice(from)
    if (this.#bytes + this.#rest.length > replyBytesMax) throw new Error('the reply has no end')
    return replies
  }

  #take(line: string): Reply | undefined {
    const match = /^([2-5]\d\d)([ -]?)(.*)$/s.exec(line)
    if (match === null) throw new Error('what was answered is no SMTP reply')
    const [, code = '', separator, words = ''] = match
    this.#lines.push(words)
    this.#bytes += line.length
    if (separator === '-') return undefined
    const lines = this.#lines
    this.#lines = []
    this.#bytes = 0
    const text = lines.length === 1 ? words : lines.join(' ')
    return {
      code: Number(code),
      enhanced: /^([245]\.\d{1,3}\.\d{1,3})(?= |$)/.exec(lines[0] ?? '')?.[1],
      text: text.slice(0, textCharactersMax),
      lines,
    }
  }
}
