/** The operations port of a process: health and metrics for operators, not for clients. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import type { Logger } from '../logger.ts'
import type { ReadinessReport } from '../readiness/readiness.ts'

export interface OpsServerOptions {
  readonly host: string
  readonly port: number
  readonly registry: Registry
  /** Read for each health check; it must not wait for anything. */
  readonly readiness: { readonly report: ReadinessReport }
}

const takenRetryMs = 500

/** Rejects with the error of the socket if the port is unavailable. */
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

/**
 * Listens on the operations port, also for services that are replaced or run several times on one
 * machine: while another process has the port, this one serves its clients without it and retries.
 * Port 0 disables it. Resolves after the first attempt; rejects if the port is unavailable for
 * another reason.
 */
export async function holdOpsPort(
  options: OpsServerOptions,
  log: Logger,
): Promise<{ close(): void }> {
  const { host, port } = options
  let server: Server | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  const listen = async () => {
    const started = await startOpsServer(options)
    if (isClosed) started.close()
    else server = started
  }
  const listenLater = () => {
    retry = setTimeout(() => {
      listen().then(
        () => log.info({ code: 'ops_port_held', host, port }, 'Listening on the operations port.'),
        () => isClosed || listenLater(),
      )
    }, takenRetryMs)
    retry.unref()
  }
  if (port !== 0) {
    await listen().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      log.info(
        { code: 'ops_port_taken', host, port },
        `Another process is using the operations port; retrying every ${takenRetryMs} ms.`,
      )
      listenLater()
    })
  }
  return {
    close: () => {
      isClosed = true
      clearTimeout(retry)
      server?.close()
    },
  }
}

async function answer(url: string, { registry, readiness }: OpsServerOptions) {
  const path = url.split('?', 1)[0]
  if (path === '/health') return { status: 200, body: '{"status":"ok"}' }
  if (path === '/metrics') {
    return { status: 200, body: await registry.metrics(), type: registry.contentType }
  }
  if (path !== '/health/ready') return { status: 404, body: '{"error":"There is nothing here."}' }
  const { report } = readiness
  return { status: report.status === 'ready' ? 200 : 503, body: JSON.stringify(report) }
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
