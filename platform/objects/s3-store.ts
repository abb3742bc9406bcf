/** Files in a bucket of any service with the S3 API. Requests are signed by aws4fetch. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import type { ObjectEntry, ObjectStore } from './object-store.ts'
import { StorageError } from './storage-error.ts'

export interface S3Options {
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  /** `https://s3.eu-central-1.amazonaws.com`, or the address of another service. */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
  /** True: the bucket is the first part of the path, not of the host name. */
  readonly isPathStyle: boolean
  /** How long a caller waits at most. Default: `patient`. */
  readonly patience?: Patience
}

export interface Patience {
  readonly attemptsMax: number
  readonly requestMsMax: number
}

/** For work that nobody waits for. */
const patient: Patience = { attemptsMax: 5, requestMsMax: 120_000 }
const retryMs = 200
/** S3 lists at most a thousand keys at a time. */
const pagesMax = 100_000
const errorCharactersMax = 300

export class S3Store implements ObjectStore {
  readonly name: string
  readonly #client: AwsClient
  readonly #options: S3Options

  constructor(options: S3Options) {
    const { bucket, prefix, region, accessKeyId, secretAccessKey, sessionToken } = options
    this.#options = options
    this.name = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      region,
      service: 's3',
      retries: 0,
    })
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const body = new Uint8Array(bytes)
    await this.#send(`${key} could not be written`, this.#urlOf(key), { method: 'PUT', body })
  }

  async get(key: string): Promise<Buffer | undefined> {
    const { status, body } = await this.#send(
      `${key} could not be read`,
      this.#urlOf(key),
      { method: 'GET' },
      [404],
    )
    return status === 404 ? undefined : body
  }

  async *list(prefix: string): AsyncIterable<ObjectEntry> {
    const full = this.#fullKey(prefix)
    let token: string | undefined
    for (let page = 0; page < pagesMax; page += 1) {
      const url = new URL(this.#bucketUrl())
      url.searchParams.set('list-type', '2')
      url.searchParams.set('prefix', full)
      if (token !== undefined) url.searchParams.set('continuation-token', token)
      const { body } = await this.#send('The bucket could not be listed', url.href, {
        method: 'GET',
      })
      const xml = body.toString('utf8')
      for (const entry of xml.split('<Contents>').slice(1)) {
        const key = textOf(entry, 'Key')
        if (key === undefined || !key.startsWith(full)) continue
        yield { key: `${prefix}${key.slice(full.length)}`, bytes: Number(textOf(entry, 'Size')) }
      }
      token = textOf(xml, 'NextContinuationToken')
      if (token === undefined) return
    }
  }

  async remove(key: string): Promise<void> {
    await this.#send(`${key} could not be removed`, this.#urlOf(key), { method: 'DELETE' }, [404])
  }

  /** A PUT that was interrupted leaves nothing. */
  sweep(): Promise<void> {
    return Promise.resolve()
  }

  #fullKey(key: string): string {
    const { prefix } = this.#options
    return prefix === '' ? key : `${prefix}/${key}`
  }

  #bucketUrl(): string {
    const { endpoint, bucket, isPathStyle } = this.#options
    const url = new URL(endpoint)
    if (!isPathStyle) {
      url.hostname = `${bucket}.${url.hostname}`
      return `${url.origin}/`
    }
    return `${url.origin}/${encodeURIComponent(bucket)}`
  }

  #urlOf(key: string): string {
    const path = this.#fullKey(key).split('/').map(encodeURIComponent).join('/')
    return `${this.#bucketUrl().replace(/\/$/, '')}/${path}`
  }

  /** Retries what may pass: no answer, 429 and 5xx. */
  async #send(
    what: string,
    url: string,
    init: RequestInit,
    accepted: readonly number[] = [],
  ): Promise<{ status: number; body: Buffer }> {
    const { attemptsMax, requestMsMax } = this.#options.patience ?? patient
    let reason = ''
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      if (attempt > 1) await sleep(retryMs * 2 ** (attempt - 2))
      try {
        const signal = AbortSignal.timeout(requestMsMax)
        const response = await this.#client.fetch(url, { ...init, signal })
        const { status } = response
        const body = Buffer.from(await response.arrayBuffer())
        if (response.ok || accepted.includes(status)) return { status, body }
        reason = describeReply(status, body.toString('utf8'))
        if (status !== 429 && status < 500) break
      } catch (error) {
        const { cause } = error as Error
        reason = cause instanceof Error ? cause.message : (error as Error).message
      }
    }
    throw new StorageError(`${this.name}: ${what}: ${reason}.`)
  }
}

function describeReply(status: number, xml: string): string {
  const code = textOf(xml, 'Code')
  const message = textOf(xml, 'Message')?.slice(0, errorCharactersMax).replace(/\.$/, '')
  return [`the storage replied ${status}`, code, message].filter(Boolean).join(', ')
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}

function textOf(xml: string, tag: string): string | undefined {
  const start = xml.indexOf(`<${tag}>`)
  const end = xml.indexOf(`</${tag}>`, start)
  if (start < 0 || end < 0) return undefined
  const text = xml.slice(start + tag.length + 2, end)
  return text.replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => entities[entity] ?? entity)
}
