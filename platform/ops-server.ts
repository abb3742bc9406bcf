/** Health and metrics of a process that serves nothing else over HTTP. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'

export interface OpsServerOptions {
  readonly host: string
  readonly port: number
  readonly registry: Registry
  /** What the process needs and does not have now; empty means ready. */
  readonly missing: () => Promise<readonly string[]>
}

/** Rejects with the socket's error when the port cannot be had. */
export async function startOpsServer(options: OpsServerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', options).then(
      ({ status, body, type }) => send(response, status, body, type),
      () => send(response, 500, '{"status":"error"}'),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return server
}

async function answer(url: string, { registry, missing }: OpsServerOptions) {
  const path = url.split('?', 1)[0]
  if (path === '/health') return { status: 200, body: '{"status":"ok"}' }
  if (path === '/metrics') {
    return { status: 200, body: await registry.metrics(), type: registry.contentType }
  }
  if (path !== '/health/ready') return { status: 404, body: '{"error":"There is nothing here."}' }
  const lacking = await missing()
  return lacking.length === 0
    ? { status: 200, body: '{"status":"ready"}' }
    : { status: 503, body: JSON.stringify({ status: 'not ready', missing: lacking }) }
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'application/json; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
