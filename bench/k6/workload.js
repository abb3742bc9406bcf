// The canonical workload for k6: envelopes.json holds requests as bench/load/workload.ts makes
// them, with the ids cut out. Every request gets ids of its own, and the time of the run. Nothing
// outside this folder is imported, so the scripts run in the grafana/k6 image as well.

import { check, fail } from 'k6'
import { SharedArray } from 'k6/data'
import exec from 'k6/execution'
import http from 'k6/http'
import { Counter } from 'k6/metrics'

const eventsAccepted = new Counter('events_accepted')

// Out of a hundred requests so many are of a kind; one in `gzipEvery` of it is compressed.
const mix = [
  { kind: '1k', upTo: 80, gzipEvery: 0 },
  { kind: '10k', upTo: 94, gzipEvery: 4 },
  { kind: '50k', upTo: 99, gzipEvery: 2 },
  { kind: 'batch', upTo: 100, gzipEvery: 4 },
]

// Each envelope as the texts between its ids, and which id stands between them.
const templates = Object.fromEntries(
  mix.map(({ kind }) => [kind, new SharedArray(kind, () => readTemplates(kind))]),
)

function readTemplates(kind) {
  const { madeAtMs, envelopes } = JSON.parse(open('./envelopes.json'))
  const nowMs = Date.now()
  return envelopes[kind].map((envelope) => {
    const parts = atTime(envelope, madeAtMs, nowMs).split(/\{\{(\d+)\}\}/)
    const ids = parts.filter((_, index) => index % 2 === 1).map(Number)
    const texts = parts.filter((_, index) => index % 2 === 0)
    return { texts, ids, eventCount: new Set(ids).size }
  })
}

// Moves the events from the time when the file was made to now. Seconds keep their three decimals,
// and ten digits before them, so the length that an item states stays right.
function atTime(envelope, madeAtMs, nowMs) {
  const sentAt = (ms) => `"sent_at":"${new Date(ms).toISOString()}"`
  return envelope
    .replace(sentAt(madeAtMs), sentAt(nowMs))
    .replace(/"timestamp":(\d{10}(?:\.\d+)?)/g, (_found, seconds) => {
      const decimals = seconds.split('.')[1] || ''
      const moved = Number(seconds) + Math.floor((nowMs - madeAtMs) / 1000)
      return `"timestamp":${moved.toFixed(decimals.length)}`
    })
}

// http://<public key>@<host>/<project>, or BASE_URL for another way to the same host.
export function readTarget() {
  const found = /^(https?:\/\/)([0-9a-f]{32})(?::[^@]*)?@([^/]+)(\/.*?)?\/(\d+)$/.exec(
    __ENV.DSN || '',
  )
  if (!found) fail('Set DSN to the DSN of a project: k6 run -e DSN=http://<key>@<host>:<port>/<id>')
  const [, scheme, publicKey, host, prefix, projectId] = found
  const base = (__ENV.BASE_URL || `${scheme}${host}${prefix || ''}`).replace(/\/$/, '')
  const query = `sentry_version=7&sentry_key=${publicKey}&sentry_client=sentry.javascript.node%2F11.11.0`
  return { url: `${base}/api/${projectId}/envelope/?${query}`, runId: hexDigits(16) }
}

function hexDigits(count) {
  const bytes = new Uint8Array(count / 2)
  crypto.getRandomValues(bytes)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// One request of the mix; `target` is what readTarget() gave to setup().
export function sendRequest(target) {
  const iteration = exec.scenario.iterationInTest
  const { kind, gzipEvery } = mix.find(({ upTo }) => iteration % 100 < upTo)
  const choices = templates[kind]
  const template = choices[iteration % choices.length]
  const body = fillIn(template, `${target.runId}${iteration.toString(16).padStart(10, '0')}`)
  const params = { headers: { 'User-Agent': 'sentry.javascript.node/11.11.0' }, tags: { kind } }
  if (gzipEvery > 0 && iteration % gzipEvery === 0) params.compression = 'gzip'
  const response = http.post(target.url, body, params)
  const accepted = check(response, { 'answered 200': ({ status }) => status === 200 })
  if (accepted) eventsAccepted.add(template.eventCount)
}

// 16 digits of the run, 10 of the iteration, 6 of the event in its envelope.
function fillIn({ texts, ids }, start) {
  let body = texts[0]
  for (let index = 0; index < ids.length; index += 1) {
    body += start + ids[index].toString(16).padStart(6, '0') + texts[index + 1]
  }
  return body
}

export function fromEnv(name, fallback) {
  return __ENV[name] || fallback
}
