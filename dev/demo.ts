import { z } from 'zod'

/**
 * `demo.json` in the data folder: how to reach the running product. Written when everything is
 * ready.
 */
export const Demo = z.object({
  ingestUrl: z.string(),
  apiUrl: z.string(),
  dsn: z.string(),
  componentDsns: z.object({ worker: z.string(), cli: z.string() }),
  projectId: z.string(),
  dsnId: z.string(),
  projectKey: z.string(),
  accessToken: z.string(),
  apiKey: z.string(),
  newsletter: z.string(),
  owner: z.object({ email: z.string(), password: z.string() }),
  mailbox: z.string(),
  /**
   * What the running API does with a From address of a domain that nobody has verified: the command
   * line does the same.
   */
  allowUnverifiedFrom: z.boolean().default(false),
  postgresUrl: z.string(),
  natsUrl: z.string(),
  clickhouseUrl: z.string(),
  smtpUrl: z.string(),
  metricsUrls: z.object({
    ingest: z.string(),
    workers: z.string(),
    mailer: z.string(),
    api: z.string(),
  }),
})
export type Demo = z.infer<typeof Demo>

export const demoFileName = 'demo.json'
