/**
 * What a newcomer reads when everything is ready: where things are, and commands that work as they
 * stand.
 */
import type { Demo } from './demo.ts'

/**
 * The name at the end of the script is for its frames: the SDK takes those of a nameless one for
 * Node's own.
 */
export function describeDemo(demo: Demo): string {
  const issues = `${demo.apiUrl}/api/v1/projects/${demo.projectId}/issues`
  const { publicKey, envelopeUrl } = splitDsn(demo)
  return `
Sluice is ready.

  DSN            ${demo.dsn}
  worker's DSN   ${demo.componentDsns.worker}
  cli's DSN      ${demo.componentDsns.cli}
  API            ${demo.apiUrl}  (documentation: ${demo.apiUrl}/docs)
  Mailbox        ${demo.mailbox}
  Ideas portal   ${demo.apiUrl}/portal/${demo.projectKey}
  Project        ${demo.projectId}
  Access token   ${demo.accessToken}
  API key        ${demo.apiKey}
  Owner          ${demo.owner.email}  ${demo.owner.password}

Send an error with the stock SDK (elsewhere: npm install @sentry/node first):

  node -e "const Sentry = require('@sentry/node'); Sentry.init({ dsn: '${demo.dsn}', release: 'demo@1.0.0', environment: 'demo' }); function checkout(cart) { return JSON.parse(cart) } try { checkout('{oops') } catch (error) { Sentry.captureException(error) } Sentry.flush(5000).then(() => console.log('sent')) //# sourceURL=/demo/shop.js"

Or with curl alone:

  printf '%s\\n' '{"event_id":"'$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')'"}' '{"type":"event"}' '{"level":"warning","message":"Hello from curl","platform":"other"}' | curl -sS --data-binary @- '${envelopeUrl}?sentry_key=${publicKey}&sentry_version=7'

Look at the issues:

  curl -sS -H 'X-API-Key: ${demo.accessToken}' '${issues}'

Send a letter, and look at it in the mailbox:

  curl -sS -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json' -d '{"newsletter":"${demo.newsletter}","to":"you@example.com","subject":"Hello","markdown":"It **works**."}' '${demo.apiUrl}/api/v1/send'
  curl -sS '${demo.mailbox}'

Ctrl-C stops everything; what was sent stays.
`
}

function splitDsn(demo: Demo): { publicKey: string; envelopeUrl: string } {
  const base = demo.ingestUrl.replace(/\/+$/, '')
  return {
    publicKey: new URL(demo.dsn).username,
    envelopeUrl: `${base}/api/${demo.dsnId}/envelope/`,
  }
}
