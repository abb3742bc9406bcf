/** The programs of an installation, by the word that starts them. */
import type { ProgramWord } from './program-words.ts'

export interface EntryProgram {
  readonly summary: string
  readonly load: () => Promise<unknown>
  /** Stops itself on SIGTERM. */
  readonly handlesSignals: boolean
}

export const programs: Readonly<Record<ProgramWord, EntryProgram>> = {
  ingest: {
    summary: 'receive events from SDKs',
    load: () => import('../../ingest/main.ts'),
    handlesSignals: true,
  },
  workers: {
    summary: 'digest events and run jobs',
    load: () => import('../../workers/main.ts'),
    handlesSignals: true,
  },
  mailer: {
    summary: 'send emails',
    load: () => import('../../workers/mail/main.ts'),
    handlesSignals: true,
  },
  api: {
    summary: 'serve the API, portals and pages',
    load: () => import('../../api/main.ts'),
    handlesSignals: true,
  },
  migrate: {
    summary: 'run pending migrations of Postgres and ClickHouse, and exit',
    load: async () => (await import('../migrate.ts')).main(),
    handlesSignals: false,
  },
  engines: {
    summary: 'run the embedded Postgres, NATS and ClickHouse alone',
    load: async () => (await import('./run-engines.ts')).main(),
    handlesSignals: true,
  },
  admin: {
    summary: 'manage accounts and content: sluice admin --help',
    load: () => import('../../api/cli/main.ts'),
    handlesSignals: false,
  },
  top: {
    summary: 'show what every process does, and what to do now',
    load: () => import('../../api/cli/top/main.ts'),
    handlesSignals: true,
  },
  ready: {
    summary: 'exit with 0 when a process of this machine is ready: sluice ready ingest',
    load: async () => {
      const { probeProcess } = await import('./probe-process.ts')
      process.exitCode = await probeProcess(process.argv.slice(2), '/health/ready')
    },
    handlesSignals: false,
  },
  alive: {
    summary: 'exit with 0 when a process of this machine runs: sluice alive ingest',
    load: async () => {
      const { probeProcess } = await import('./probe-process.ts')
      process.exitCode = await probeProcess(process.argv.slice(2), '/health')
    },
    handlesSignals: false,
  },
}
