import { z } from 'zod'

/**
 * Contents of `demo.json` in the data folder: URLs, keys and ids of the running product. The file
 * is written when all services are ready, and removed when the product stops.
 */
export const Demo = z.object({
  ingestUrl: z.string(),
  apiUrl: z.string(),
  /** The address of the dashboard. */
  dashboardUrl: z.string().default(''),
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
   * Whether the API accepts a From address of an unverified domain; the command line applies the
   * same rule.
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
