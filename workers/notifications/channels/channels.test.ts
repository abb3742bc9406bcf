/** Each channel's request, received by a local server, against the documentation of its service. */
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createSafeRequest } from '#platform/http/safe-request/safe-request.ts'
import { targetSettings } from '#platform/http/safe-request/target-url.ts'
import { createWebhookSecret } from '#platform/http/sign-webhook.ts'
import {
  documentedFormats,
  textOfTelegram,
} from '../../../test/fixtures/notifications/documented-formats.ts'
import {
  Receiver,
  type RequestTargetType,
  targetsAt,
} from '../../../test/fixtures/notifications/receiver.ts'
import {
  hostileText,
  samplePayloads,
} from '../../../test/fixtures/notifications/sample-payloads.ts'
import { shownNotification } from '../shown-notification.ts'
import type { ChannelMessage } from './channel.ts'
import { channelRequest } from './channel-request.ts'

const types = Object.keys(documentedFormats) as RequestTargetType[]
const secret = createWebhookSecret()
const urls = { telegram: 'https://t.test', pagerduty: 'https://p.test', opsgenie: undefined }

function messageOf(payload: unknown, more: Partial<ChannelMessage> = {}): ChannelMessage {
  const id = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
  const shown = shownNotification(payload)
  return { id, atMs: systemClock.nowMs(), payload, shown, secrets: [secret], urls, ...more }
}

let receiver: Receiver
beforeAll(async () => {
  receiver = await Receiver.start()
})
afterAll(() => receiver.close())

const send = createSafeRequest({
  settings: targetSettings(['127.0.0.0/8']),
  resolve: () => Promise.reject(new Error('no name is resolved')),
  clock: systemClock,
})

const cases = types.flatMap((type) =>
  Object.entries(samplePayloads).map(([name, payload]) => ({ type, name, payload })),
)

test.each(cases)('$type: $name arrives as documented', async ({ type, payload }) => {
  const format = documentedFormats[type]!
  receiver.answer = () => format.success
  receiver.requests.length = 0
  const target = targetsAt(receiver.url)[type]
  const message = messageOf(payload, { urls: receiver.channelUrls })
  const result = await send(channelRequest(target, message))
  expect(result).toMatchObject({ kind: 'response', status: format.success.status })
  const [request] = receiver.requests
  expect(request!.path).toMatch(format.path)
  expect(Buffer.byteLength(request!.body)).toBeLessThanOrEqual(format.bodyBytesMax)
  // The library of Standard Webhooks allows any data; ours is always an object in these samples.
  const body: unknown = JSON.parse(request!.body)
  if (type === 'webhook') expect(body).toEqual(JSON.parse(JSON.stringify(payload)))
  else expect(format.body.parse(body)).toEqual(body)
  format.headers.parse(request!.headers)
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.constantFrom(hostileText, '<', '&amp', '\\', '@', '`', '[', ']('),
  fc.string({ unit: fc.constantFrom('<', '>', '&', '\\', '"', '😀', '@', '*', '\ud800', 'a') }),
)
const randomPayload = fc.record({
  type: fc.constantFrom('issue.new', 'alert.digest', 'monitor.recovered', 'x'),
  timestamp: text,
  data: fc.record(
    {
      project: fc.record({ id: text, name: text }),
      rule: fc.record({ id: text, name: text }),
      reason: text,
      issue: fc.record({ id: text, title: text, culprit: text, level: text, url: text }),
      event: fc.record({ release: text, environment: text }),
      digest: fc.record({
        count: fc.integer(),
        firings: fc.array(fc.record({ reason: text, issue: fc.record({ title: text }) }), {
          maxLength: 30,
        }),
      }),
    },
    { requiredKeys: [] },
  ),
})

test.each(types.filter((type) => type !== 'webhook'))(
  '%s: any payload becomes a documented request',
  (type) => {
    const format = documentedFormats[type]!
    fc.assert(
      fc.property(randomPayload, (payload) => {
        const target = targetsAt('https://service.test')[type]
        const { body, url } = channelRequest(target, messageOf(payload))
        expect(`${new URL(url).pathname}${new URL(url).search}`).toMatch(format.path)
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(format.bodyBytesMax)
        format.body.parse(JSON.parse(body))
      }),
      { seed: 3, numRuns: 60 },
    )
  },
)

/** The parsed body of a request about a hostile issue. */
function hostileBody(type: RequestTargetType, name = 'hostile texts') {
  const target = targetsAt('https://service.test')[type]
  // biome-ignore lint/suspicious/noExplicitAny: the formats above check the shape.
  return JSON.parse(channelRequest(target, messageOf(samplePayloads[name])).body) as any
}

describe('hostile texts', () => {
  test.each(['hostile texts', 'a hostile digest'])('%s mention nobody in Slack', (name) => {
    const body = hostileBody('slack', name)
    const markdown: string[] = []
    const all = JSON.stringify(body, (_key, value) => {
      if (value?.type === 'mrkdwn') markdown.push(value.text)
      return value
    })
    // What Slack would read as a mention or link begins with `<`.
    for (const written of markdown) {
      expect(written).toMatch(/^<https:\/\/sluice\.example\/[^<>|]*\|Open in Sluice>$/)
    }
    expect(markdown.length).toBeGreaterThan(0)
    expect(all.replaceAll(/<https:[^<>|]*\|Open in Sluice>/g, '')).not.toMatch(/[<>]/)
    expect(all).toContain('&lt;!channel&gt;')
  })

  test.each(['hostile texts', 'a hostile digest'])('%s have no Markdown in Discord', (name) => {
    const body = hostileBody('discord', name)
    expect(body.allowed_mentions).toEqual({ parse: [] })
    const { title, description, fields } = body.embeds[0]
    for (const written of [title, description, ...fields.map((f: { value: string }) => f.value)]) {
      const rest = written.replaceAll(/\[Open\]\(https:\/\/sluice\.example[^()]*\)/g, '')
      expect(rest.replaceAll(/\\[^0-9A-Za-z\s]/g, '')).not.toMatch(/[\\`*_~|>#[\]()<@]/)
    }
  })

  test('are text in Telegram', () => {
    const { text: html } = hostileBody('telegram')
    const plain = textOfTelegram(html)
    expect(plain).toContain('<!channel>')
    expect(plain).toContain('</b><a href="https://evil.test">x</a>')
    expect(plain).not.toMatch(/@\w/)
    expect(html.match(/<a /g)).toHaveLength(1)
  })

  test('are text runs in Teams, and links are ours', () => {
    const card = hostileBody('teams').attachments[0].content
    expect(JSON.stringify(card)).toContain('[Log in](https://evil.test)')
    expect(card.body.every(({ type }: { type: string }) => type === 'RichTextBlock')).toBe(true)
    expect(card.actions[0].url).toMatch(/^https:\/\/sluice\.example\//)
  })

  test('of a token and a chat stay within their place', () => {
    const target = { type: 'telegram', bot_token: '1:a/../../x?y#z', chat_id: '@chat' } as const
    const { url } = channelRequest(target, messageOf(samplePayloads['a test']))
    expect(new URL(url).pathname).toBe('/bot1:a%2F..%2F..%2Fx%3Fy%23z/sendMessage')
  })
})

describe('a webhook', () => {
  test('is verified with the library of Standard Webhooks, during a rotation with both secrets', () => {
    const other = createWebhookSecret()
    const payload = samplePayloads['hostile texts']
    const message = messageOf(payload, { secrets: [secret, other] })
    const { headers, body } = channelRequest({ type: 'webhook', url: 'https://w.test' }, message)
    for (const each of [secret, other]) {
      expect(new Webhook(each).verify(body, headers)).toEqual(JSON.parse(JSON.stringify(payload)))
    }
    expect(headers['webhook-id']).toBe(message.id)
  })
})

describe('services with open and closed alerts', () => {
  const body = (type: RequestTargetType, name: string) => hostileBody(type, name)

  test('PagerDuty: a recovered monitor resolves what its failure triggered', () => {
    const [failed, recovered] = ['a failed monitor', 'a recovered monitor'].map((name) =>
      body('pagerduty', name),
    )
    expect([failed.event_action, recovered.event_action]).toEqual(['trigger', 'resolve'])
    expect(recovered.dedup_key).toBe(failed.dedup_key)
  })

  test('PagerDuty: one issue has one key, and its level is the severity', () => {
    const [first, again] = ['a new issue', 'a fatal regression'].map((name) =>
      body('pagerduty', name),
    )
    expect(again.dedup_key).toBe(first.dedup_key)
    expect([first.payload.severity, again.payload.severity]).toEqual(['error', 'critical'])
  })

  test('Opsgenie: a recovered monitor closes the alert with the alias of its failure', () => {
    const target = targetsAt('')['opsgenie']
    const failed = channelRequest(target, messageOf(samplePayloads['a failed monitor']))
    const recovered = channelRequest(target, messageOf(samplePayloads['a recovered monitor']))
    const { alias } = JSON.parse(failed.body)
    expect(recovered.url).toBe(
      `https://api.opsgenie.com/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`,
    )
  })

  test('Opsgenie: a target in the EU has the URL of its region', () => {
    const target = { type: 'opsgenie', api_key: 'k', region: 'eu' } as const
    const { url } = channelRequest(target, messageOf(samplePayloads['a test']))
    expect(url).toBe('https://api.eu.opsgenie.com/v2/alerts')
  })
})

test('ntfy: a server below a path keeps it', () => {
  const target = { type: 'ntfy', url: 'https://host.test/push/my%2Dtopic/' } as const
  const { url, body, headers } = channelRequest(target, messageOf(samplePayloads['a test']))
  expect([url, JSON.parse(body).topic]).toEqual(['https://host.test/push/', 'my-topic'])
  expect(headers).not.toHaveProperty('authorization')
})

test.each(types.filter((type) => type !== 'webhook'))(
  '%s: no text reorders what stands around it, or has towers of marks',
  (type) => {
    const hostile = `\u202egnp.exe\u2066\u2069${'Z'}${'\u0301'.repeat(500)}`
    const issue = { id: 'i', title: hostile, culprit: hostile, level: hostile }
    const data = { reason: hostile, rule: { name: hostile }, issue }
    const digest = { count: 2, firings: [{ reason: hostile, issue }] }
    for (const payload of [
      { type: 'issue.new', data },
      { type: 'alert.digest', data: { ...data, digest } },
    ]) {
      const { body } = channelRequest(targetsAt('https://service.test')[type], messageOf(payload))
      expect(body).toContain('gnp')
      expect(body).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\u0301{10}/)
    }
  },
)
