/** The k6 program: on the PATH, kept from an earlier run, or built with Go. */
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

/** Throws one sentence that says how to get k6 when there is none and none can be built. */
export async function findK6({ env, onProgress }: K6Search): Promise<string> {
  const found = await findProgram('k6', [...pathFolders(env), cacheFolder(env)])
  if (found !== undefined) return found

  const go = await findGo(env)
  if (go === undefined) throw new Error(`There is no k6, and no Go to build it with. ${howToGetIt}`)
  onProgress('Building k6 with Go, once: this takes a minute or two.')
  try {
    const signal = AbortSignal.timeout(buildMsMax)
    return await buildWithGo({ go, name: 'k6', module: k6Module, env, signal })
  } catch (cause) {
    throw new Error(`Go could not build k6 (${lastLine(cause)}). ${howToGetIt}`, { cause })
  }
}

const howToGetIt =
  'Install k6 from https://grafana.com/docs/k6/latest/set-up/install-k6/ so that it is on the PATH, install a recent Go, or run the scripts of bench/k6 in the grafana/k6 image.'
