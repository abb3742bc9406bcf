import type { StreamInfo } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { isAtLeast } from '#platform/installation/server-version.ts'
import { doctorContext } from '../../../test/fixtures/doctor/doctor-context.ts'
import type { HttpReply } from '../doctor-context.ts'
import { versionFinding as clickhouseVersion, diskFinding } from './clickhouse.ts'
import { offsetFinding } from './clocks.ts'
import { disksCheck, spaceFinding } from './disks.ts'
import { versionFinding as natsVersion } from './nats.ts'
import { nodeCheck } from './node.ts'
import { opsPortsCheck } from './ops-ports.ts'
import { durable, versionFinding as postgresVersion } from './postgres.ts'
import { publicUrlsCheck } from './public-urls.ts'
import { secretCheck } from './secret.ts'
import { domainFinding } from './sending-domains.ts'
import { settingsCheck } from './settings.ts'
import { streamFaults } from './streams.ts'
import { tableFaults } from './tables.ts'

// biome-ignore format: the columns are the point
test.each([
  ['2.12.3', '2.12.3', true], ['2.12.4', '2.12.3', true], ['2.9.25', '2.12.3', false], ['2.13', '2.12.3', true],
  ['2.12.3-beta.1', '2.12.3', true], ['v2.12.3', '2.12.3', true], ['', '2.9.0', false], ['banana', '0.0.1', false],
] as const)('version %s is at least %s: %s', (version, wanted, want) => {
  expect(isAtLeast(version, wanted)).toBe(want)
})

test.each([
  ['on', 'on', 'on', 'ok', 'survive'],
  ['on', 'remote_apply', 'on', 'ok', 'survive'],
  ['off', 'on', 'on', 'problem', 'fsync is off'],
  ['on', 'off', 'on', 'problem', 'synchronous_commit is off'],
  ['off', 'off', 'off', 'problem', 'fsync and synchronous_commit and full_page_writes is off'],
])(
  'fsync %s, synchronous_commit %s, full_page_writes %s: %s',
  (fsync, synchronous, pages, status, text) => {
    const finding = durable({ fsync, synchronous, pages })
    expect(finding).toMatchObject({ status, found: expect.stringContaining(text) })
  },
)

// biome-ignore format: the columns are the point
test.each([
  ['20.19.0', 'ok'], ['22.12.0', 'ok'], ['26.1.0', 'ok'],
  ['20.18.9', 'problem'], ['22.11.0', 'problem'], ['21.7.3', 'problem'], ['18.20.0', 'problem'], ['27.0.0', 'problem'],
] as const)('Node %s: %s', async (nodeVersion, status) => {
  const [finding] = await nodeCheck.run(await doctorContext({}, { nodeVersion }))
  expect(finding).toMatchObject({ check: 'node.version', status })
})

test('versions of the stores', () => {
  const postgres = (number: number) => postgresVersion({ number, version: 'x' }).status
  expect([180_001, 170_004, 190_000].map(postgres)).toEqual(['ok', 'problem', 'warning'])
  const clickhouse = (version: string) => clickhouseVersion(version).status
  expect(['26.3.1.2', '26.7.2.1', '25.12.1.1', '25.8.1.1'].map(clickhouse)).toEqual([
    ...['ok', 'ok'],
    ...['warning', 'problem'],
  ])
  const nats = (version: string, cluster?: string) =>
    natsVersion({ version, cluster, jetStream: undefined }).status
  expect([nats('2.9.25'), nats('2.9.25', 'c'), nats('2.12.3', 'c'), nats('2.8.0')]).toEqual([
    'ok',
    'warning',
    'ok',
    'problem',
  ])
})

describe('settings', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['nothing set',                {},                                                                             'settings.values', 'ok'],
    ['an invalid number',          { WORKERS_PORT: 'many' },                                                       'settings.WORKERS_PORT', 'problem'],
    ['a URL of something else',    { POSTGRES_URL: 'http://x' },                                                   'settings.POSTGRES_URL', 'problem'],
    ['two ways to trust proxies',  { TRUST_PROXY_HOPS: '1', TRUSTED_PROXIES: '10.0.0.0/8' },                       'settings.proxies', 'problem'],
    ['https without a proxy',      { API_URL: 'https://api.test' },                                                'settings.api_proxy', 'warning'],
    ['https with a proxy',         { API_URL: 'https://api.test', TRUST_PROXY_HOPS: '1' },                         'settings.values', 'ok'],
    ['ingest behind a proxy',      { INGEST_URL: 'https://in.test' },                                              'settings.ingest_proxy', 'warning'],
    ['any sender, real server',    { MAIL_ALLOW_UNVERIFIED_FROM: 'true', SMTP_URL: 'smtp://u:p@mail.test:587', MAIL_FROM: 'a@b.test' }, 'settings.unverified_from', 'warning'],
    ['any sender, captured',       { MAIL_ALLOW_UNVERIFIED_FROM: 'true', SMTP_URL: 'smtp://127.0.0.1:1025' },      'settings.values', 'ok'],
    ['a sender that nobody takes', { SMTP_URL: 'smtp://mail.test:587' },                                           'settings.mail_from', 'warning'],
    ['more streams than partitions', { INGEST_STREAMS: '8', INGEST_PARTITIONS: '4' },                              'settings.streams', 'problem'],
    ['one day of retention',       { RETENTION_DAYS: '1' },                                                        'settings.retention', 'warning'],
    ['weak durability',            { INGEST_DURABILITY: 'broker' },                                                'settings.durability', 'warning'],
    ['the same secret twice',      { SLUICE_SECRET: 'x'.repeat(40), SLUICE_SECRET_PREVIOUS: 'x'.repeat(40) },      'settings.previous_secret', 'warning'],
    ['failpoints',                 { SLUICE_FAILPOINTS: 'x' },                                                     'settings.failpoints', 'problem'],
  ] as const)('%s', async (_what, env, check, status) => {
    const findings = await settingsCheck.run(await doctorContext(env))
    expect(findings).toEqual([expect.objectContaining({ check, status })])
  })
})

describe('the secret', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['none',              undefined,                                                          'secret.set', 'problem'],
    ['too short',         'k3j4h5k3j4h5',                                                     'secret.strength', 'problem'],
    ['an example',        'change-me-to-32-random-characters!!',                              'secret.strength', 'problem'],
    ['one character',     'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',                         'secret.strength', 'problem'],
    ['a counted one',     '0123456789abcdef0123456789abcdef',                                 'secret.strength', 'problem'],
    ['a random one',      '7be1f4b2a09d46c3e85f60ca1b2e9d74cc18f02b3a4d5e6f',                 'secret.strength', 'ok'],
  ] as const)('%s', async (_what, SLUICE_SECRET, check, status) => {
    const [finding] = await secretCheck.run(await doctorContext({ SLUICE_SECRET }))
    expect(finding).toMatchObject({ check, status })
    if (SLUICE_SECRET) expect(JSON.stringify(finding)).not.toContain(SLUICE_SECRET)
  })
})

test('clock offsets', () => {
  const status = (seconds: number) => offsetFinding('NATS', seconds).status
  expect([0.2, -5, 5.1, -59, 60.1, -86_400].map(status)).toEqual([
    ...['ok', 'ok', 'warning', 'warning', 'problem', 'problem'],
  ])
  expect(offsetFinding('NATS', -86_400).found).toBe('This machine is 24 h behind NATS.')
})

describe('disks', () => {
  const space = (freeBytes: number, grows = 0) =>
    spaceFinding('data', { folder: '/x', grows, space: { freeBytes, sizeBytes: 1e12 } }).status

  test('a nearly full one is a problem, and one that the log could fill a warning', () => {
    expect([5e11, 4e10, 5e8, 6e10].map((free) => space(free))).toEqual([
      ...['ok', 'problem', 'problem', 'ok'],
    ])
    expect(space(6e10, 7e10)).toBe('warning')
  })

  test('the folder of ingest is checked when it is another one', async () => {
    const env = { SLUICE_DATA_DIR: '/tmp', INGEST_LOG_DIR: '/nowhere/at/all/log' }
    const full = { diskSpace: async () => ({ freeBytes: 1, sizeBytes: 1e9 }) }
    const findings = await disksCheck.run(await doctorContext(env, full))
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ['disks.data', 'problem'],
      ['disks.ingest_log', 'skipped'],
    ])
  })

  test('a disk that cannot be read is a problem of its own', async () => {
    const error = Object.assign(new Error('x'), { code: 'EACCES' })
    const ctx = await doctorContext(
      { SLUICE_DATA_DIR: '/tmp' },
      { diskSpace: () => Promise.reject(error) },
    )
    expect(await disksCheck.run(ctx)).toMatchObject([
      { status: 'problem', found: expect.stringMatching(/EACCES/) },
    ])
  })

  test('disks of ClickHouse', () => {
    const status = (free: number | string, total: number | string) =>
      diskFinding({ name: 'default', free, total }).status
    expect(status(1, 100)).toBe('problem')
    expect(status('10', '100')).toBe('warning')
    expect(status(50, 100)).toBe('ok')
    expect(status('18446744073709551615', '18446744073709551615')).toBe('ok')
    expect(status(0, 0)).toBe('ok')
  })
})

describe('tables of ClickHouse', () => {
  const wanted = { name: 'events', engine: 'MergeTree', expires: true }
  const good = 'MergeTree ORDER BY x TTL y SETTINGS non_replicated_deduplication_window = 10000'
  const check = (engine: string, definition: string) =>
    tableFaults(wanted, [{ name: 'events', engine, definition }]).map((finding) => finding.check)
  // biome-ignore format: the columns are the point
  test.each([
    ['as migrated',           'MergeTree',           good,                                                        []],
    ['replicated',            'ReplicatedMergeTree', 'ReplicatedMergeTree ORDER BY x TTL y',                      []],
    ['of the cloud',          'SharedMergeTree',     'SharedMergeTree ORDER BY x TTL y',                          []],
    ['another engine',        'Log',                 'Log',                                                       ['tables.events_engine', 'tables.events_ttl', 'tables.events_deduplication']],
    ['no TTL',                'MergeTree',           good.replace('TTL y', ''),                                   ['tables.events_ttl']],
    ['no deduplication',      'MergeTree',           good.replace('10000', '0'),                                  ['tables.events_deduplication']],
    ['deduplication is off',  'ReplicatedMergeTree', 'ReplicatedMergeTree TTL y SETTINGS replicated_deduplication_window = 0', ['tables.events_deduplication']],
  ] as const)('%s', (_what, engine, definition, want) => {
    expect(check(engine, definition)).toEqual(want)
  })

  test('a table that is missing', () => {
    expect(tableFaults(wanted, [])).toMatchObject([{ check: 'tables.events', status: 'problem' }])
  })
})

describe('streams', () => {
  const config = {
    name: 'INGEST',
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_age: 0,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    max_bytes: 1_000,
    max_msg_size: 4 * 1024 * 1024,
    duplicate_window: 120e9,
    num_replicas: 1,
    subjects: ['ingest.0', 'ingest.1'],
  }
  const place = { index: 0, layout: { first: 0, partitions: 2, streams: 1 } }
  const check = (other: object, bytes = 0) =>
    streamFaults({ config: { ...config, ...other }, state: { bytes } } as StreamInfo, place)
  // biome-ignore format: the columns are the point
  test.each([
    ['as ours are',      {},                             []],
    ['in memory',        { storage: 'memory' },          ['INGEST_storage']],
    ['work queue',       { retention: 'workqueue' },     ['INGEST_retention']],
    ['drops old ones',   { discard: 'old' },             ['INGEST_discard']],
    ['expires',          { max_age: 3600e9 },            ['INGEST_max_age']],
    ['counts messages',  { max_msgs: 100 },              ['INGEST_max_msgs']],
    ['small messages',   { max_msg_size: 1_000_000 },    ['INGEST_max_msg_size']],
    ['short window',     { duplicate_window: 1e9 },      ['INGEST_duplicate_window']],
    ['lacks a subject',  { subjects: ['ingest.0'] },     ['INGEST_subjects']],
    ['no limit',         { max_bytes: -1 },              ['INGEST_max_bytes']],
    ['two at once',      { discard: 'old', max_age: 1 }, ['INGEST_discard', 'INGEST_max_age']],
  ] as const)('%s', (_what, other, want) => {
    expect(check(other).map((finding) => finding.check)).toEqual(want.map((name) => `streams.${name}`))
  })

  test('a nearly full one', () => {
    expect(check({}, 799)).toEqual([])
    expect(check({}, 800)).toMatchObject([{ check: 'streams.INGEST_full', status: 'problem' }])
  })
})

describe('public URLs', () => {
  const ok: HttpReply = { status: 200, text: '{"status":"ok"}' }
  const check = async (env: NodeJS.ProcessEnv, reply: HttpReply | Error = ok) => {
    const httpGet = async () => {
      if (reply instanceof Error) throw reply
      return reply
    }
    const findings = await publicUrlsCheck.run(await doctorContext(env, { httpGet }))
    return findings
      .filter(({ status }) => status !== 'ok')
      .map(({ check, status }) => [check, status])
  }
  const good = { INGEST_URL: 'https://in.test', API_URL: 'https://api.test/sluice' }
  const [both, local, clear] = [good, {}, { ...good, API_URL: 'http://api.test' }]
  // biome-ignore format: the columns are the point
  test.each([
    ['good ones',       both,  ok,                              []],
    ['this machine',    local, ok,                              [['public_urls.ingest_host', 'problem'], ['public_urls.api_host', 'problem']]],
    ['clear text',      clear, ok,                              [['public_urls.api_https', 'warning']]],
    ['a wrong proxy',   both,  { status: 502, text: '' },       [['public_urls.ingest_answers', 'problem'], ['public_urls.api_answers', 'problem']]],
    ['nothing answers', both,  new Error('connect ECONNREFUSED'), [['public_urls.ingest_answers', 'problem'], ['public_urls.api_answers', 'problem']]],
  ] as const)('%s', async (_what, env, reply, want) => {
    expect(await check(env, reply)).toEqual(want)
  })

  test('a host without an address', async () => {
    const addressesOf = () => Promise.reject(new Error('getaddrinfo ENOTFOUND in.test'))
    const ctx = await doctorContext(good, { addressesOf, httpGet: async () => ok })
    const names = (await publicUrlsCheck.run(ctx)).filter(({ status }) => status === 'problem')
    expect(names.map((finding) => finding.check)).toEqual([
      'public_urls.ingest_dns',
      'public_urls.api_dns',
    ])
  })
})

describe('operations ports', () => {
  const check = async (env: NodeJS.ProcessEnv, open: string[] = []) => {
    const httpGet = async (url: string) => {
      if (!open.includes(url)) throw new Error('closed')
      return { status: 200, text: '# HELP up x\n' }
    }
    const findings = await opsPortsCheck.run(await doctorContext(env, { httpGet }))
    return findings.map(({ check, status }) => [check, status])
  }
  const env = { API_URL: 'https://api.test', INGEST_URL: 'https://in.test' }
  // biome-ignore format: the columns are the point
  test.each([
    ['closed',                    env,                                    [],                                [['ops_ports.all', 'ok']]],
    ['bound to all addresses',    { ...env, WORKERS_HOST: '0.0.0.0' },    [],                                [['ops_ports.workers', 'warning']]],
    ['bound to ::1',              { ...env, MAILER_HOST: '::1' },         [],                                [['ops_ports.all', 'ok']]],
    ['open under a public name',  env,                                    ['http://in.test:8038/metrics'],   [['ops_ports.ingest', 'problem']]],
    ['passed on by a proxy',      env,                                    ['https://api.test/metrics'],      [['ops_ports.api_url', 'problem']]],
  ] as const)('%s', async (_what, given, open, want) => {
    expect(await check(given, [...open])).toEqual(want)
  })
})

describe('sending domains', () => {
  const record = (use: 'proof' | 'dkim' | 'spf' | 'dmarc' | 'mx', state = 'pass') => ({
    use,
    state: state as 'pass',
    hint: null,
    found: [],
  })
  const uses = ['proof', 'dkim', 'spf', 'dmarc', 'mx'] as const
  const with_ = (use: string, state: string) =>
    uses.map((one) => record(one, one === use ? state : 'pass'))
  const domain = { domain: 'shop.test', proofRequired: true, state: 'verified' as const }
  // biome-ignore format: the columns are the point
  test.each([
    ['all pass',                    domain,                               with_('mx', 'pass'),      'ok'],
    ['no MX',                       domain,                               with_('mx', 'missing'),   'ok'],
    ['DKIM is gone',                domain,                               with_('dkim', 'missing'), 'problem'],
    ['SPF is wrong',                domain,                               with_('spf', 'wrong'),    'problem'],
    ['never verified',              { ...domain, state: 'pending' },      with_('spf', 'wrong'),    'warning'],
    ['the proof is not needed',     { ...domain, proofRequired: false },  with_('proof', 'missing'), 'ok'],
    ['the name server is silent',   domain,                               with_('dmarc', 'unknown'), 'warning'],
  ] as const)('%s', (_what, given, records, status) => {
    expect(domainFinding(given, records).status).toBe(status)
  })
})
