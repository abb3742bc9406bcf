/** Progress of a benchmark: one line that is overwritten on a terminal, plain lines elsewhere. */
export interface Progress {
  /** @param share progress of the step `label`, from 0 to 1. */
  update(label: string, share: number, detail?: string): void
  line(text: string): void
  end(): void
}

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const barCharacters = 24
const labelCharacters = 34

export function createProgress(output: Output): Progress {
  const terminal = output.isTTY === true
  let lastLabel = ''
  let drawn = false
  const clear = (): void => {
    if (drawn) output.write('\r\u001b[2K')
    drawn = false
  }
  return {
    update(label, share, detail = '') {
      if (terminal) {
        const full = Math.round(Math.max(0, Math.min(1, share)) * barCharacters)
        const bar = '█'.repeat(full) + '░'.repeat(barCharacters - full)
        output.write(`\r\u001b[2K${label.padEnd(labelCharacters)} ${bar} ${detail}`)
        drawn = true
      } else if (label !== lastLabel) {
        output.write(`${label} …\n`)
      }
      lastLabel = label
    },
    line(text) {
      clear()
      output.write(`${text}\n`)
    },
    end: clear,
  }
}
