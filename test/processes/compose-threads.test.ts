/**
 * Sends texts of the most expensive shapes to the API with its real worker threads: each gets a
 * response, and none blocks the event loop. A busy machine blocks the loop at random, so each shape
 * has several attempts; a text that is composed, parsed or checked on the event loop fails in all
 * of them.
 */
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { buildApp } from '../../api/app.ts'
import { Composer } from '../../api/compose/composer.ts'
import { ComposePool } from '../../api/compose/pool/compose-pool.ts'
import type { ApiInstance } from '../../api/http/route.ts'
import { apiOfThisFile } from '../fixtures/api-fixture.ts'
import { type MailTenant, mailTenant } from '../fixtures/email-fixture.ts'

const stallMsMax = 50
const attemptsMax = 12
const filename = join(projectRoot, 'dist/api/compose/pool/compose-thread.js')
const charactersMax = 600 * 1024

const filled = (unit: string, characters = charactersMax) =>
  unit.repeat(Math.floor(characters / unit.length))

const shapes: readonly (readonly [
  name: string,
  source: { html: string } | { markdown: string },
])[] = [
  ['conditional comments without an end', { html: filled('<!--[if a]>') }],
  [
    'conditional comments of spaces',
    { html: filled(`<!--[if a]><${' '.repeat(19_000)}<![endif]-->`) },
  ],
  ['tags without an end', { html: filled('<L') }],
  ['one tag of attributes', { html: `<p ${filled('a ')}>x</p>` }],
  ['numbered marks', { html: Array.from({ length: 80_000 }, (_, no) => `zc${no}c`).join(' ') }],
  ['many tags', { html: '<p>'.repeat(19_000) }],
  ['entities', { html: filled('&amp') }],
  ['a long style attribute', { html: `<p style="${filled('a:b;', 200 * 1024)}">x</p>` }],
  ['a table of many cells', { html: `<table class="data"><tr>${'<td>x'.repeat(8_000)}` }],
  [
    'a table of large spans',
    {
      html: `<table class="data">${'<tr><td colspan="1000" rowspan="1000">x</td></tr>'.repeat(1_000)}`,
    },
  ],
  [
    'selectors over all elements',
    {
      html: `<style>${'*:has(* * q){a:b}'.repeat(4)}</style>${'<div>'.repeat(95)}${'<p>x</p>'.repeat(8_000)}`,
    },
  ],
  ['braces', { html: filled('{{ ') }],
  ['a long subject of spaces', { html: `<p>${filled(' ')}</p>` }],
  ['brackets of Markdown', { markdown: '['.repeat(49_000) }],
  ['links without an end', { markdown: '[a]('.repeat(16_000) }],
  ['emphasis', { markdown: '*a_'.repeat(24_000) }],
  ['quotes', { markdown: '>'.repeat(49_000) }],
  ['empty list items', { markdown: '- '.repeat(100_000) }],
  ['addresses', { markdown: 'a@b.c '.repeat(40_000) }],
  ['colons', { markdown: filled('http', 400_000) }],
]

const api = apiOfThisFile()
let pool: ComposePool
let app: ApiInstance
let tenant: MailTenant

beforeAll(async () => {
  pool = new ComposePool({ filename })
  const composer = new Composer((task, owner) => pool.run(task, owner))
  app = await buildApp({ ...api().ctx, composer })
  tenant = await mailTenant(api())
  await send({ markdown: 'The thread loads its modules.' })
})

afterAll(async () => {
  await app?.close()
  await pool?.close()
})

function send(source: object) {
  const body = {
    newsletter: tenant.direct,
    to: 'a@example.test',
    subject: 's',
    allowUnknown: true,
    ...source,
  }
  const headers = { authorization: `Bearer ${tenant.apiKey}` }
  return api().call('/api/v1/send', { method: 'POST', headers, body }, app)
}

describe.each(shapes)('a text of %s', (_name, source) => {
  test('gets a response without blocking the event loop', async () => {
    let shortest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < attemptsMax && stallMsMax <= shortest; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const { status, body } = await send(source)
      // The monitor records a delay when the loop turns again.
      await new Promise((resolve) => setTimeout(resolve, 20))
      delay.disable()
      expect([200, 400]).toContain(status)
      if (status === 400) expect(['validation_failed', 'too_complex']).toContain(body.code)
      shortest = Math.min(shortest, delay.max / 1e6)
    }
    expect(shortest).toBeLessThan(stallMsMax)
  })
})
