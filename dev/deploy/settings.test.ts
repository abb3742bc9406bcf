/**
 * Compares the settings that the processes read with those that every kind of deployment can pass
 * to them, and with those that the docs name.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readEnv, type VariableName, variableNames } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { serviceWords } from '../entry/program-words.ts'

const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
const filesOf = (folder: string, end: string) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(end))
    .map((path) => `${folder}/${path}`)

/** Read by `top`, `admin doctor` and `admin upgrade --check`. */
const metricsUrls = 'SLUICE_METRICS_URLS'

/** Settings of the engines that `npm start` and `sluice engines` embed. */
const embedded: readonly string[] = variableNames.filter((name) => name.startsWith('EMBEDDED_'))

describe('docker-compose.yml', () => {
  interface Compose {
    readonly services: Readonly<Record<string, { environment: Record<string, string> }>>
  }
  const { services }: Compose = parse(textOf('docker-compose.yml'), { merge: true })
  const environmentOf = (name: string) => services[name]?.environment ?? {}

  /** Settings that the file decides or that do not apply to containers, with the reason. */
  const left: Readonly<Record<string, string>> = {
    INGEST_PORT: 'a container has its own ports, and `ports:` publishes them',
    API_PORT: 'the same',
    WORKERS_PORT: 'the same',
    MAILER_PORT: 'the same',
    INGEST_OPS_PORT: 'the same',
    API_OPS_PORT: 'the same',
    INGEST_SHARE_PORT: 'every container has its own port',
    CLICKHOUSE_CLUSTER: 'the file runs one ClickHouse server',
    SLUICE_DATA_DIR: 'nothing is stored in it: INGEST_LOG_DIR is set, and engines run elsewhere',
    SLUICE_FAILPOINTS: 'for tests only',
    ...Object.fromEntries(embedded.map((name) => [name, 'the image has no embedded engines'])),
  }
  /** Commands such as `admin backup` run in the container of the API; no process reads these. */
  const onlyForCommands: readonly string[] = variableNames.filter(
    (name) => name.startsWith('S3_') || name === metricsUrls,
  )
  /** Values that depend on the containers of the file. */
  const fixed =
    /^(?:(?:INGEST|INGEST_OPS|WORKERS|MAILER|API|API_OPS)_HOST|INGEST_LOG_DIR|(?:POSTGRES|NATS|CLICKHOUSE)_URL)$/

  test.each([...serviceWords, 'migrate'])('%s gets every setting', (name) => {
    const wanted = variableNames.filter(
      (one) => !(one in left) && (name === 'api' || !onlyForCommands.includes(one)),
    )
    expect(Object.keys(environmentOf(name)).sort()).toEqual([...wanted].sort())
  })

  const settings = Object.entries(environmentOf('api')).filter(([name]) => !fixed.test(name))
  test.each(settings)(
    '%s can be set in .env, and its default is that of the product',
    (name, value) => {
      const [, variable, form, byDefault = ''] = /^\$\{([A-Z0-9_]+)(:[-?])(.*)\}$/.exec(value) ?? []
      expect(variable).toBe(name)
      if (form === ':?' || name === metricsUrls) return
      const one = name as VariableName
      // A volume that the containers share; their data folder is not.
      if (name === 'OBJECT_STORE_URL') {
        expect(byDefault).toBe('/var/lib/sluice/objects')
        return
      }
      // The file runs a mail catcher, and the product has no default.
      if (name === 'SMTP_URL') expect(() => readEnv([one], { [name]: byDefault })).not.toThrow()
      else expect(readEnv([one], { [name]: byDefault })).toEqual(readEnv([one], {}))
    },
  )

  test('the metrics of every process are named, those of a cluster in its file', () => {
    const urlsOf = (text: string) =>
      /http\S+?\/metrics(?:,http\S+?\/metrics)*/.exec(text)?.[0] ?? ''
    const processesOf = (text: string) =>
      urlsOf(text)
        .split(',')
        .map((url) => new URL(url).hostname)
    const twins = Object.keys(services).filter((name) =>
      serviceWords.some((word) => name === `${word}-2`),
    )
    expect(processesOf(environmentOf('api')[metricsUrls] ?? '')).toEqual([...serviceWords])
    expect(processesOf(textOf('dev/compose/cluster.env')).sort()).toEqual(
      [...serviceWords, ...twins].sort(),
    )
  })
})

describe('systemd', () => {
  test.each(filesOf('dev/deploy/systemd', '.service'))(
    '%s reads every setting from one file',
    (path) => {
      const lines = textOf(path).split('\n')
      // The last file that sets a variable wins, and files win over Environment=.
      const files = lines.filter((line) => line.startsWith('EnvironmentFile='))
      expect(files.at(-1)).toBe('EnvironmentFile=/etc/sluice/sluice.env')
      const own = lines.flatMap((line) => /^Environment=(.*)$/.exec(line)?.[1]?.split(' ') ?? [])
      const names = own.map((setting) => setting.split('=')[0] ?? '')
      expect(names).toEqual(['SLUICE_DATA_DIR', 'NODE_ENV', 'NODE_OPTIONS'])
    },
  )
})

describe('Kubernetes', () => {
  test.each([...serviceWords, 'migrate'])('%s gets all settings and secrets', (name) => {
    const [workload] = parseAllDocuments(textOf(`dev/deploy/kubernetes/${name}.yaml`)).map((one) =>
      one.toJS(),
    )
    const [container] = workload.spec.template.spec.containers
    expect(container.envFrom).toEqual([
      { configMapRef: { name: 'sluice-settings' } },
      { secretRef: { name: 'sluice-secrets' } },
    ])
    // A variable of `env` would win over the settings.
    expect(container.env).toBeUndefined()
  })
})

describe('the docs', () => {
  /** Of programs beside Sluice, and of the deployment itself. */
  const others = [
    'NODE_ENV',
    'NODE_OPTIONS',
    'NODE_EXTRA_CA_CERTS',
    'NO_COLOR',
    'SLUICE_BASE_IMAGE',
    'POSTGRES_PASSWORD',
    'NATS_PASSWORD',
    'CLICKHOUSE_PASSWORD',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
    'SENTRY_URL',
    'SENTRY_AUTH_TOKEN',
    'SENTRY_ORG',
    'SENTRY_PROJECT',
  ]
  const known: readonly string[] = [...variableNames, ...others]
  /** Values that users choose in examples, columns of imported files, and constants of systems. */
  const notVariables =
    /^(?:SLUICE_TOKEN|SLUICE_WEBHOOK_SECRET|WEBHOOK_URL|PORTAL_SECRET|[A-Z]+_TIME|MEMBER_RATING|SO_REUSEPORT|REMOTE_ADDR|O_DSYNC|INGEST_16)$/
  const pages = [
    ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench/RESULTS.md', 'Dockerfile'],
    ...filesOf('docs', '.md'),
  ]

  test.each(pages)('%s names only variables that exist', (path) => {
    const named = textOf(path).match(/(?<![\w$-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w-])/g) ?? []
    const unknown = named.filter((name) => !known.includes(name) && !notVariables.test(name))
    expect([...new Set(unknown)]).toEqual([])
  })

  test('the code reads no other variable of Sluice', () => {
    const sources = ['api', 'ingest', 'platform', 'workers', 'dev', 'schemas'].flatMap((folder) =>
      filesOf(folder, '.ts').filter((path) => !path.endsWith('.test.ts')),
    )
    /** Of the terminal and the machine. */
    const ofMachine = [
      ...['PATH', 'TERM', 'TMPDIR', 'COLUMNS', 'XDG_CACHE_HOME', 'UWS_HTTP_MAX_HEADERS_SIZE'],
    ]
    const read = sources.flatMap((path) =>
      [...textOf(path).matchAll(/\benv\??\.?(?:\[')?([A-Z][A-Z0-9_]{2,})\b/g)].map(
        ([, name]) => name ?? '',
      ),
    )
    expect(read.length).toBeGreaterThan(20)
    const unknown = read.filter((name) => !known.includes(name) && !ofMachine.includes(name))
    expect([...new Set(unknown)]).toEqual([])
  })
})
