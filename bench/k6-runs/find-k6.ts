/** Finds k6 on the PATH or in the cache of an earlier run, or builds it with Go. */
import {
  buildWithGo,
  cacheFolder,
  findGo,
  findProgram,
  lastLine,
  pathFolders,
} from '../../dev/find-program.ts'

const k6Module = 'go.k6.io/k6@v1.8.1'
const buildMsMax = 900_000

export interface K6Search {
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (sentence: string) => void
}

/** Throws an error that says how to install k6 if it is missing and cannot be built. */
export async function findK6({ env, onProgress }: K6Search): Promise<string> {
  const found = await findProgram('k6', [...pathFolders(env), cacheFolder(env)])
  if (found !== undefined) return found

  const go = await findGo(env)
  if (go === undefined)
    throw new Error(
      `k6 was not found, and Go, which could build it, was not found either. ${howToGetIt}`,
    )
  onProgress('Building k6 with Go. This takes one or two minutes and happens once.')
  try {
    const signal = AbortSignal.timeout(buildMsMax)
    return await buildWithGo({ go, name: 'k6', module: k6Module, env, signal })
  } catch (cause) {
    throw new Error(`Go could not build k6 (${lastLine(cause)}). ${howToGetIt}`, { cause })
  }
}

const howToGetIt =
  'Install k6 (https://grafana.com/docs/k6/latest/set-up/install-k6/), install a recent Go, or run the scripts of bench/k6 in the grafana/k6 image.'
