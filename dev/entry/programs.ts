/** The programs of an installation, by the word that starts them. */

export interface EntryProgram {
  readonly summary: string
  readonly load: () => Promise<unknown>
  /** Runs until it is stopped, and drains on SIGTERM by itself. */
  readonly isService: boolean
}

const service = (summary: string, load: () => Promise<unknown>): EntryProgram => ({
  summary,
  load,
  isService: true,
})
const task = (summary: string, load: () => Promise<unknown>): EntryProgram => ({
  summary,
  load,
  isService: false,
})

export const services = {
  ingest: service('receive events from SDKs', () => import('../../ingest/main.ts')),
  workers: service('digest events, run jobs', () => import('../../workers/main.ts')),
  mailer: service('send emails', () => import('../../workers/mail/main.ts')),
  api: service('serve the API, portals and pages', () => import('../../api/main.ts')),
} as const satisfies Readonly<Record<string, EntryProgram>>
export type ServiceWord = keyof typeof services

export const programs: ReadonlyMap<string, EntryProgram> = new Map(
  Object.entries({
    ...services,
    migrate: task('run pending migrations of Postgres and ClickHouse, and exit', async () => {
      const { main } = await import('../migrate.ts')
      await main()
    }),
    admin: task(
      'manage accounts and content: sluice admin --help',
      () => import('../../api/cli/main.ts'),
    ),
    ready: task('exit with 0 when a process is ready: sluice ready ingest', async () => {
      const { probeProcess } = await import('./probe-process.ts')
      process.exitCode = await probeProcess(process.argv.slice(2))
    }),
  }),
)

export function isServiceWord(word: string | undefined): word is ServiceWord {
  return word !== undefined && Object.hasOwn(services, word)
}
