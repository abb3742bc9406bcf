import { readProductFile } from '../cli/find-product.ts'
import { type Target, targetOf, targetsOf } from './processes/target.ts'

/**
 * The processes of the installation: those of SLUICE_METRICS_URLS, else those that `npm start` runs
 * on the data folder. Its file is read each time, because it is written after the API has started.
 */
export async function findTargets(env: {
  readonly SLUICE_METRICS_URLS: readonly string[]
  readonly SLUICE_DATA_DIR: string
}): Promise<readonly Target[]> {
  if (env.SLUICE_METRICS_URLS.length > 0) return env.SLUICE_METRICS_URLS.map(targetOf)
  return targetsOf((await readProductFile(env.SLUICE_DATA_DIR))?.metricsUrls ?? {})
}
