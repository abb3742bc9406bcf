/**
 * Writes which test files had no result because their process ended, for dev/run-tests.ts, to the
 * file that `--outputFile.endings` names.
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'

export interface Endings {
  /** Paths of the files whose process ended. */
  readonly files: readonly string[]
  /** Errors outside of tests that have another cause. */
  readonly otherErrors: number
}

// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export.
export default class EndingsReporter implements Reporter {
  #path: string | undefined

  onInit({ config }: Vitest): void {
    const { outputFile } = config
    if (typeof outputFile === 'object') this.#path = outputFile['endings']
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (this.#path === undefined) return
    const ended = errors.flatMap(({ cause }) => filesOf(cause))
    const otherErrors = errors.filter(({ cause }) => filesOf(cause).length === 0).length
    writeFileSync(this.#path, JSON.stringify({ files: ended, otherErrors } satisfies Endings))
  }
}

/** Of a ForkEndedError. */
function filesOf(cause: unknown): string[] {
  const files = (cause as { files?: unknown } | undefined)?.files
  return Array.isArray(files) ? files.map(String) : []
}
