/** Markers in the payload of records that kill a digest thread or that a store refuses. */

/** In the payload of an event: kills the thread that digests it. */
export const poisonMark = 'poison'
/** In the title of an event or the slug of a check-in: Postgres refuses the commit. */
export const postgresRefusesMark = 'postgres-refuses'
/** In the message of an event: ClickHouse refuses the row. */
export const clickHouseRefusesMark = 'clickhouse-refuses'
