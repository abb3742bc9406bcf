/** The words of `sluice <program>`. */

/** Run until they are stopped, and drain on SIGTERM. */
export const serviceWords = ['ingest', 'workers', 'mailer', 'api'] as const
export type ServiceWord = (typeof serviceWords)[number]

export const programWords = [
  ...serviceWords,
  'migrate',
  'engines',
  'admin',
  'top',
  'ready',
  'alive',
] as const
export type ProgramWord = (typeof programWords)[number]

export function isServiceWord(word: string | undefined): word is ServiceWord {
  return serviceWords.some((one) => one === word)
}

export function isProgramWord(word: string | undefined): word is ProgramWord {
  return programWords.some((one) => one === word)
}
