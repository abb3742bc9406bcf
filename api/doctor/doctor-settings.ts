/**
 * The settings that the doctor checks: the environment, completed by the product that `npm start`
 * runs on the data folder, unless the environment names the stores of another one. An invalid value
 * is a finding and not an error, so the other settings are still read.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type Env, readEnv, type VariableName, variableNames } from '#platform/env.ts'
import { type ProductFile, readProductFile, storeFields } from '../cli/find-product.ts'
import { type Target, targetOf, targetsOf } from '../operation/processes/target.ts'

export class DoctorSettings {
  /** The environment, completed by the running product. */
  readonly env: NodeJS.ProcessEnv
  /** Whether `npm start` runs this product. */
  readonly isEmbedded: boolean
  readonly #metricsUrls: Readonly<Record<string, string>>
  /** Whether the secret is that of the data folder and not SLUICE_SECRET. */
  readonly isSecretStored: boolean

  private constructor(
    env: NodeJS.ProcessEnv,
    product: ProductFile | undefined,
    isSecretStored: boolean,
  ) {
    this.env = env
    this.isEmbedded = product !== undefined
    this.#metricsUrls = product?.metricsUrls ?? {}
    this.isSecretStored = isSecretStored
  }

  static async read(given: NodeJS.ProcessEnv): Promise<DoctorSettings> {
    const { SLUICE_DATA_DIR: dataDir = '.sluice' } = readable(['SLUICE_DATA_DIR'], given)
    const found = await readProductFile(dataDir)
    const isOther = found !== undefined && namesOtherStores(given, found)
    const product = isOther ? undefined : found
    const env = { ...given }
    if (product !== undefined) complete(env, product)
    const stored = product && !env['SLUICE_SECRET'] ? await storedSecret(dataDir) : undefined
    if (stored !== undefined) env['SLUICE_SECRET'] = stored
    return new DoctorSettings(env, product, stored !== undefined)
  }

  /** The value of a variable or its default; undefined if it is missing or invalid. */
  get<Name extends VariableName>(name: Name): Env<Name>[Name] | undefined {
    return readable([name], this.env)[name]
  }

  /** The processes of SLUICE_METRICS_URLS, else those of the running product. */
  get targets(): readonly Target[] {
    const given = this.get('SLUICE_METRICS_URLS') ?? []
    return given.length > 0 ? given.map(targetOf) : targetsOf(this.#metricsUrls)
  }

  isSet(name: VariableName): boolean {
    return Boolean(this.env[name])
  }

  /** Variables that are set to an invalid value, with the rule that they break. */
  invalid(): { readonly name: VariableName; readonly rule: string }[] {
    return variableNames.flatMap((name) => {
      if (!this.isSet(name)) return []
      try {
        readEnv([name], this.env)
        return []
      } catch (error) {
        const [, rule = 'it is not valid'] = (error as Error).message.split(`${name}: `)
        return [{ name, rule }]
      }
    })
  }
}

function readable<Name extends VariableName>(
  names: readonly Name[],
  env: NodeJS.ProcessEnv,
): Partial<Env<Name>> {
  try {
    return readEnv(names, env)
  } catch {
    return {}
  }
}

function namesOtherStores(env: NodeJS.ProcessEnv, product: ProductFile): boolean {
  return Object.entries(storeFields).some(
    ([name, field]) => env[name] && product[field] !== undefined && env[name] !== product[field],
  )
}

function complete(env: NodeJS.ProcessEnv, product: ProductFile): void {
  const { ingestUrl, apiUrl, allowUnverifiedFrom } = product
  for (const [name, field] of Object.entries(storeFields)) env[name] ||= product[field]
  env['INGEST_URL'] ||= ingestUrl
  env['API_URL'] ||= apiUrl
  if (allowUnverifiedFrom !== undefined) {
    env['MAIL_ALLOW_UNVERIFIED_FROM'] ||= String(allowUnverifiedFrom)
  }
}

const StoredSecret = z.object({ sluice: z.string() })

async function storedSecret(dataDir: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(dataDir, 'secrets.json'), 'utf8')
    return StoredSecret.parse(JSON.parse(text)).sluice
  } catch {
    return undefined
  }
}
