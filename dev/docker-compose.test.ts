import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inheritedEnv, variableNames } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { isProgramWord } from './entry/program-words.ts'

const text = readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8')
const sections = splitBlocks(text, 0)
const services = splitBlocks(sections.get('services') ?? '', 2)
const engines = ['nats', 'clickhouse', 'postgres', 'mail']
const ours = ['ingest', 'workers', 'mailer', 'api']
/**
 * Services that run only with dev/compose/cluster.env. Each copies the service without the suffix.
 */
const twins = ['nats-2', 'nats-3', 'ingest-2', 'workers-2', 'mailer-2', 'api-2']

const compose = findCompose()

/** Variables without a default, so that nobody deploys with a default password. */
const required = ['SLUICE_SECRET', 'POSTGRES_PASSWORD', 'NATS_PASSWORD', 'CLICKHOUSE_PASSWORD']
const optionalSecrets = ['SLUICE_SECRET_PREVIOUS', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']
const secrets = Object.fromEntries(required.map((name) => [name, 'x'.repeat(32)]))

test.runIf(compose !== undefined).each(['none of them', ...required])(
  'docker-compose refuses to start when secrets are missing: %s',
  (missing) => {
    const given = missing === 'none of them' ? {} : { ...secrets, [missing]: '' }
    const run = runCompose(['config', '-q'], given)
    expect(run.status).not.toBe(0)
    expect(run.stderr).toContain(missing === 'none of them' ? 'set it in .env' : missing)
  },
)

test.runIf(compose !== undefined).each([
  ['as it is', []],
  ['as a cluster', ['--env-file', 'dev/compose/cluster.env']],
])('docker-compose accepts the file %s', (_name, options) => {
  const run = runCompose([...options, 'config', '-q'], secrets)
  expect(run.stderr).toBe('')
  expect(run.status).toBe(0)
})

// These checks read the file as text, so they also run where docker-compose is not installed.
describe('docker-compose.yml', () => {
  test('the file holds the engines, our services and the migration', () => {
    const all = [...engines, ...ours, ...twins, 'migrate']
    expect([...services.keys()].sort()).toEqual(all.sort())
  })

  test.each(engines)(
    '%s runs a pinned image, has a health check and stores its data in a volume',
    (name) => {
      const block = services.get(name) ?? ''
      expect(block).toMatch(/^ {4}image: [a-z/-]+:v?\d+\.\d+[\w.-]*$/m)
      expect(block).toMatch(/^ {4}healthcheck:$/m)
      const volumes = [...block.matchAll(/^ {6}- ([a-z]+):\//gm)].map((match) => match[1])
      expect(volumes).toEqual([name])
      expect(sections.get('volumes')).toMatch(new RegExp(`^ {2}${name}:$`, 'm'))
    },
  )

  test.each(ours)('%s runs its entry after the migration and has a health check', (name) => {
    const block = services.get(name) ?? ''
    expect(isProgramWord(name)).toBe(true)
    expect(block).toContain(`command: ["${name}"]`)
    expect(block).toContain(`    healthcheck:\n      test: ["CMD", "sluice", "alive", "${name}"]\n`)
    expect(block).toMatch(/migrat/)
  })

  test.each(twins)('%s copies the first instance and has its own profile and volume', (name) => {
    const [first = ''] = name.split('-')
    const block = services.get(name) ?? ''
    expect(services.get(first)).toMatch(new RegExp(`^ {2}${first}: &${first}$`, 'm'))
    expect(services.get(first)).not.toContain('profiles:')
    expect(block).toContain(`    <<: *${first}\n    profiles: ["cluster"]\n`)
    const volumesOf = (text = '') =>
      [...text.matchAll(/^ {6}- ([a-z0-9-]+):\//gm)].flatMap(([, it]) =>
        // All processes share the files of events.
        it === undefined || it === 'objects' ? [] : [it],
      )
    const own = volumesOf(block)
    expect(own).toHaveLength(volumesOf(services.get(first)).length)
    for (const volume of own) {
      expect(volume).toMatch(/-[23]$/)
      expect(sections.get('volumes')).toMatch(new RegExp(`^ {2}${volume}:$`, 'm'))
    }
  })

  test('the compose file reads every variable of cluster.env, and no two services publish the same port', () => {
    const lines = readFileSync(join(projectRoot, 'dev/compose/cluster.env'), 'utf8').split('\n')
    const names = lines.flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? [])
    expect(names).toContain('COMPOSE_PROFILES')
    for (const name of names) {
      if (name !== 'COMPOSE_PROFILES') expect(text).toContain(`\${${name}:-`)
    }
    const ports = [...text.matchAll(/^ {6}- "(?:[\d.]+:)?(\d+):\d+"$/gm)].map(([, port]) => port)
    expect(ports.length).toBeGreaterThan(4)
    expect(new Set(ports).size).toBe(ports.length)
  })

  test('secrets and passwords come from variables without defaults', () => {
    const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
    for (const name of required) {
      const uses = lines.join('\n').match(new RegExp(`\\$\\{?${name}\\b[^}]*`, 'g')) ?? []
      expect(uses.length, name).toBeGreaterThan(0)
      for (const use of uses) expect(use).toMatch(new RegExp(`^\\$\\{${name}:\\?.`))
    }
    const named = lines.flatMap((line) => {
      const [, name = '', value = ''] =
        /^ +([A-Z_]*(?:PASSWORD|SECRET|TOKEN)[A-Z_]*): *(.*)$/.exec(line) ?? []
      return name === '' ? [] : [{ name, value }]
    })
    expect(named.length).toBeGreaterThan(3)
    for (const { name, value } of named) {
      // Without a default: an installation without a rotation or a bucket does not have them.
      const isOptional = optionalSecrets.includes(name)
      expect(value, name).toMatch(
        new RegExp(isOptional ? `^\\$\\{${name}:-\\}$` : `^"?\\$\\{${name}:\\?`),
      )
    }
    // The password in a URL: the text between `user:` and `@`.
    for (const [, password] of lines.join('\n').matchAll(/:\/\/[a-z]+:([^@\n]*)@/g)) {
      expect(password).toMatch(/^\$\{[A-Z]+_PASSWORD:\?[^}]+\}$/)
    }
  })

  test('only ingest and the API publish ports, and neither publishes its operations port', () => {
    const inside = [...services].flatMap(([name, block]) =>
      [...block.matchAll(/^ {6}- "(?:[\d.]+:)?\d+:(\d+)"$/gm)].map(([, port]) => `${name}:${port}`),
    )
    expect(inside.sort()).toEqual([
      ...['api-2:8031', 'api:8031', 'ingest-2:8030', 'ingest:8030', 'mail:8025'],
    ])
    // The web page of the mail catcher shows every email, so only this machine may reach it.
    expect(services.get('mail')).toContain('- "127.0.0.1:8025:8025"')
  })

  test('the image starts the entry point, and compose names programs only', () => {
    const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')
    expect(dockerfile).toMatch(/^ENTRYPOINT \["sluice"\]$/m)
    expect(dockerfile).toMatch(/^USER 1000:1000$/m)
    const [, entry = ''] =
      /ln -s \/app\/dist\/(\S+)\.js \/usr\/local\/bin\/sluice/.exec(dockerfile) ?? []
    const source = readFileSync(join(projectRoot, `${entry}.ts`), 'utf8')
    expect(source.startsWith('#!/usr/bin/env node\n')).toBe(true)
    for (const [, command = ''] of text.matchAll(/^ {4}command: \["([^"]*)"/gm)) {
      expect(isProgramWord(command), command).toBe(true)
    }
  })

  test('the mailbox of the API is disabled', () => {
    const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')
    expect(text + dockerfile).not.toMatch(/mailbox/i)
  })

  test('the file sets only variables that the product reads', () => {
    const shared = text.slice(0, text.indexOf('\nservices:'))
    const names = [...shared.matchAll(/^ {4}([A-Z_]+):/gm)].map((match) => match[1])
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !variableNames.some((known) => known === name))).toEqual([])
  })

  test('every alias names an earlier anchor, and the file contains no tabs', () => {
    expect(text).not.toContain('\t')
    for (const [, alias] of text.matchAll(/(?:<<: |: )\*([a-z]+)/g)) {
      const anchor = text.indexOf(`&${alias}`)
      expect(anchor, `&${alias}`).toBeGreaterThan(-1)
      expect(anchor).toBeLessThan(text.indexOf(`*${alias}`))
    }
  })

  test.each(['nats.conf', 'nats-cluster.conf'])(
    '%s accepts messages of our maximum size',
    (file) => {
      const config = readFileSync(join(projectRoot, 'dev/compose', file), 'utf8')
      const megabytes = Number(/^max_payload: (\d+)MB$/m.exec(config)?.[1])
      expect(megabytes * 1024 * 1024).toBeGreaterThanOrEqual(busMessageBytesMax)
    },
  )
})

function runCompose(args: readonly string[], env: Readonly<Record<string, string>>) {
  const [command = '', ...before] = compose ?? []
  const without = Object.entries(inheritedEnv()).filter(([name]) => !required.includes(name))
  return spawnSync(command, [...before, ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...Object.fromEntries(without), ...env },
  })
}

/** The standalone `docker-compose` command, or the plugin of `docker`. */
function findCompose(): string[] | undefined {
  const candidates = [['docker-compose'], ['docker', 'compose']]
  return candidates.find(([command = '', ...args]) => {
    return spawnSync(command, [...args, 'version'], { encoding: 'utf8' }).status === 0
  })
}

/**
 * The blocks that begin with `name:` at this depth, by name. Sufficient for our own file; not a
 * YAML parser.
 */
function splitBlocks(source: string, depth: number): Map<string, string> {
  const heads = new RegExp(`^ {${depth}}([a-z][a-z0-9-]*):(?: .*)?$`, 'gm')
  const found = [...source.matchAll(heads)]
  return new Map(
    found.map((match, index) => {
      const end = found[index + 1]?.index ?? source.length
      return [match[1] ?? '', source.slice(match.index, end)]
    }),
  )
}
