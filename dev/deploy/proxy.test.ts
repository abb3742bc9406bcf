import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { MiB, requestBytesMax } from '#schemas/limits.ts'
import { importBytesMax } from '#schemas/rest/email/contact-import.ts'

const folder = join(projectRoot, 'dev/deploy/proxy')
const nginx = readFileSync(join(folder, 'nginx.conf'), 'utf8')
const caddy = readFileSync(join(folder, 'Caddyfile'), 'utf8')
const defaults = readEnv(['INGEST_PORT', 'API_PORT'], {})

describe.each([
  ['nginx', nginx, /client_max_body_size (\d+)m;/g],
  ['Caddy', caddy, /max_size (\d+)MB/g],
])('the file for %s', (_name, text, sizes) => {
  test('leads to the default ports', () => {
    expect(text).toContain(`127.0.0.1:${defaults.INGEST_PORT}`)
    expect(text).toContain(`127.0.0.1:${defaults.API_PORT}`)
  })

  test('lets the largest bodies through, so that the product explains larger ones', () => {
    const [ingest = 0, api = 0] = [...text.matchAll(sizes)].map(([, size]) => Number(size) * 1e6)
    expect(ingest).toBeGreaterThan(requestBytesMax + MiB)
    expect(api).toBeGreaterThan(importBytesMax)
  })

  test('hides readiness of both, and not /health, which the doctor asks', () => {
    const hidden = text.match(/^\s*(?:location|respond) \/health\S*/gm) ?? []
    expect(hidden.map((line) => line.trim().split(' ')[1])).toEqual([
      expect.stringMatching(/^\/health\/\*?$/),
      expect.stringMatching(/^\/health\/\*?$/),
    ])
  })

  test('names the variables that belong to it, with valid values', () => {
    const given = [...text.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value]) => [
      name,
      value,
    ])
    expect(given.map(([name]) => name).sort()).toEqual(
      ['API_URL', 'INGEST_TRUSTED_PROXIES', 'INGEST_URL', 'TRUSTED_PROXIES'].sort(),
    )
    const names = ['API_URL', 'INGEST_TRUSTED_PROXIES', 'INGEST_URL', 'TRUSTED_PROXIES'] as const
    expect(() => readEnv(names, Object.fromEntries(given))).not.toThrow()
  })
})

const hasNginx = spawnSync('nginx', ['-v']).status === 0
const hasOpenssl = spawnSync('openssl', ['version']).status === 0
/** What nginx.conf of Debian 12 and 13 sets for all servers. */
const mainOfDebian = `sendfile on;
tcp_nopush on;
types_hash_max_size 2048;
server_tokens build;
ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;
ssl_prefer_server_ciphers on;
gzip on;`
test.runIf(hasNginx && hasOpenssl)('nginx accepts the file beside the settings of Debian', () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  try {
    const [key, cert] = [join(copy, 'key.pem'), join(copy, 'cert.pem')]
    const names = ['-subj', '/CN=localhost', '-days', '1', '-keyout', key, '-out', cert]
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names])
    const site = nginx
      .replace(/\/etc\/letsencrypt\/live\/\S+\/fullchain\.pem/g, cert)
      .replace(/\/etc\/letsencrypt\/live\/\S+\/privkey\.pem/g, key)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(copy, name)};`)
      .join('\n')
    const whole = `pid ${join(copy, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\n${mainOfDebian}\n${temporary}\n${site}\n}\n`
    writeFileSync(join(copy, 'nginx.conf'), whole)
    const run = spawnSync('nginx', ['-t', '-c', join(copy, 'nginx.conf')], { encoding: 'utf8' })
    expect(run.stderr).toContain('test is successful')
    // From 1.25 on, `listen … http2` is deprecated and still works.
    expect(
      run.stderr.replace(/.*"listen \.\.\. http2" directive is deprecated.*/g, ''),
    ).not.toContain('[warn]')
  } finally {
    rmSync(copy, { recursive: true })
  }
})

test.runIf(spawnSync('caddy', ['version']).status === 0)('Caddy accepts the file', () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-caddy-'))
  const path = join(copy, 'Caddyfile')
  const adapt = (text: string) => {
    writeFileSync(path, text)
    return spawnSync('caddy', ['adapt', '--adapter', 'caddyfile', '--config', path], {
      encoding: 'utf8',
    })
  }
  const whole = adapt(caddy)
  // Debian's package of 2.6.2 does not know the option, as the file says; it checks the rest.
  const isOld = whole.stderr.includes('unrecognized subdirective request_buffers')
  const run = isOld ? adapt(caddy.replace(/^\s*request_buffers .*$/m, '')) : whole
  rmSync(copy, { recursive: true })
  expect([run.status, run.stderr.includes('"level":"error"')]).toEqual([0, false])
})
