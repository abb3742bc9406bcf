/**
 * The terminal while `top` runs: an alternate screen without a cursor, and keys without Enter.
 * `restore` can be called at any time, several times, and in an exit handler: it only writes.
 */
import type { ReadStream, WriteStream } from 'node:tty'

export interface Terminal {
  readonly draw: (lines: readonly string[]) => void
  readonly size: () => { readonly columns: number; readonly rows: number }
  readonly restore: () => void
}

const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l'
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l'
/** `q`, `Q`, and Ctrl-C and Ctrl-D, which are bytes in raw mode. */
const quitBytes: ReadonlySet<number> = new Set([0x71, 0x51, 0x03, 0x04])
const home = '\u001b[H'
const clearLine = '\u001b[K'
const clearBelow = '\u001b[J'

export interface TerminalEvents {
  readonly quit: () => void
  readonly resized: () => void
}

export function openTerminal(
  stdin: ReadStream,
  stdout: WriteStream,
  { quit, resized }: TerminalEvents,
): Terminal {
  let isOpen = true
  const onData = (chunk: Buffer) => {
    if (chunk.some((byte) => quitBytes.has(byte))) quit()
  }
  const restore = () => {
    if (!isOpen) return
    isOpen = false
    stdin.off('data', onData)
    stdin.off('end', quit)
    stdout.off('resize', resized)
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.pause()
    stdout.write(leave)
  }
  if (stdin.isTTY) {
    stdin.setRawMode(true)
    stdin.on('data', onData)
    stdin.on('end', quit)
    stdin.resume()
  }
  stdout.on('resize', resized)
  stdout.write(enter)
  return {
    draw: (lines) => {
      if (!isOpen) return
      stdout.write(`${home}${lines.map((line) => `${line}${clearLine}`).join('\r\n')}${clearBelow}`)
    },
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    restore,
  }
}
