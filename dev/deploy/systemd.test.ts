import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readEnv, variableNames } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { healthUrl } from '../entry/probe-process.ts'
import { isProgramWord, serviceWords } from '../entry/program-words.ts'

const folder = join(projectRoot, 'dev/deploy/systemd')
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const units = readdirSync(folder).filter((name) => name.endsWith('.service'))

/** What every unit must restrict. */
const hardening = [
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'RestrictNamespaces=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallFilter=@system-service',
  'UMask=0077',
  'User=sluice',
]

test('there are units for the services, the migrations and the embedded engines', () => {
  expect(units.sort()).toEqual(
    ['sluice-engines.service', 'sluice-migrate.service', 'sluice@.service'].sort(),
  )
  const wants = /^Wants=(sluice@.*)$/m.exec(textOf('sluice.target'))?.[1]
  expect(wants?.split(' ')).toEqual(serviceWords.map((name) => `sluice@${name}.service`))
})

describe.each(units)('%s', (unit) => {
  const text = textOf(unit)
  const lines = text.split('\n')

  test('starts a program of the entry point, as its own user, without rights', () => {
    const [, entry = '', word = ''] =
      /^ExecStart=\/usr\/bin\/node \/opt\/sluice\/dist\/(\S+)\.js (\S+)$/m.exec(text) ?? []
    expect(readFileSync(join(projectRoot, `${entry}.ts`), 'utf8')).toContain('#!/usr/bin/env node')
    for (const program of word === '%i' ? serviceWords : [word])
      expect(isProgramWord(program)).toBe(true)
    for (const line of hardening) expect(lines).toContain(line)
    // V8 writes code to memory.
    expect(lines).not.toContain('MemoryDenyWriteExecute=yes')
  })

  test('has time to drain, and restarts with the target unless it runs the engines', () => {
    expect(lines.includes('PartOf=sluice.target')).toBe(unit !== 'sluice-engines.service')
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1] ?? 90)
    expect(seconds).toBeGreaterThan(30)
  })
})

test('services start after the migrations, and those after the engines', () => {
  const service = textOf('sluice@.service').split('\n')
  expect(service).toContain('After=sluice-migrate.service network-online.target')
  // With Requires, services would stay away for good when the first attempt failed.
  expect(service).toContain('Wants=sluice-migrate.service')
  expect(service.filter((line) => line.startsWith('Requires='))).toEqual([])
  const migrate = textOf('sluice-migrate.service').split('\n')
  expect(migrate).toContain('Restart=on-failure')
  expect(migrate).toContain('StartLimitIntervalSec=0')
  expect(textOf('sluice-migrate.service')).toMatch(/^After=.*\bsluice-engines\.service\b/m)
  const engines = textOf('sluice-engines.service').split('\n')
  expect(engines).toContain('WantedBy=sluice.target')
})

test('the settings are variables of the product with valid values', () => {
  const lines = textOf('sluice.env').split('\n')
  const given = lines.flatMap((line) => {
    const [, name, value] = /^#?([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  expect(given.length).toBeGreaterThan(8)
  const known = variableNames.filter((name) => given.some(([one]) => one === name))
  expect(known).toHaveLength(given.length)
  const metricsUrls = given.find(([name]) => name === 'SLUICE_METRICS_URLS')?.[1].split(',')
  expect(metricsUrls).toEqual(
    serviceWords.map((name) => healthUrl(name, '/health', {}).replace('/health', '/metrics')),
  )
  const checked = known.filter((name) => name !== 'SLUICE_SECRET')
  expect(() => readEnv(checked, Object.fromEntries(given))).not.toThrow()
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
test.runIf(hasSystemd)('systemd accepts the units and rates their exposure below 2', () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-units-'))
  try {
    const names = [...units, 'sluice.target'].map((name) => {
      const own = name.replace('@.', '@ingest.')
      const text = textOf(name).replaceAll('/usr/bin/node', process.execPath)
      writeFileSync(join(copy, own), text)
      return own
    })
    for (const name of serviceWords.slice(1)) {
      writeFileSync(
        join(copy, `sluice@${name}.service`),
        readFileSync(join(copy, 'sluice@ingest.service')),
      )
    }
    const paths = names.map((name) => join(copy, name))
    const verified = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })
    // Problems of other units of this machine are not ours.
    const ours = verified.stderr.split('\n').filter((line) => line.includes('sluice'))
    expect(ours).toEqual([])
    for (const path of paths.filter((one) => one.endsWith('.service'))) {
      const flags = ['security', '--offline=true', '--no-pager', '--threshold=20', path]
      expect([path, spawnSync('systemd-analyze', flags).status]).toEqual([path, 0])
    }
  } finally {
    rmSync(copy, { recursive: true })
  }
})
