/// <reference types="vitest/config" />
import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// Two pages, two bundles. Code of the console never reaches a buyer, because the storefront imports
// nothing of it; tools/size.mjs fails when a chunk of the storefront grows too large.
export default defineConfig({
  plugins: [vue()],
  resolve: { alias: { '@shared': here('./src/shared') } },
  define: {
    __VUE_OPTIONS_API__: true, // Element Plus needs it
    __VUE_PROD_DEVTOOLS__: false,
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: false,
  },
  build: {
    outDir: here('../build/web/dist'),
    emptyOutDir: true,
    target: 'es2020',
    assetsInlineLimit: 0, // a data: address would break the Content-Security-Policy
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    manifest: true,
    rollupOptions: {
      input: { storefront: here('./index.html'), console: here('./console.html') },
    },
  },
  server: {
    proxy: { '/api': { target: 'http://127.0.0.1:8080', ws: true } },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'jsdom' },
})
