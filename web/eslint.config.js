import js from '@eslint/js'
import globals from 'globals'
import vue from 'eslint-plugin-vue'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['node_modules', 'src/generated'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...vue.configs['flat/essential'],
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'vue/multi-word-component-names': 'off',
      'vue/no-v-html': 'error', // text from the server is never markup
      '@typescript-eslint/no-non-null-assertion': 'error',
      'max-lines': ['error', 400],
    },
  },
  { files: ['**/*.vue'], languageOptions: { parserOptions: { parser: ts.parser } } },
  { files: ['tools/*.mjs', '*.config.*'],
    languageOptions: { globals: { ...globals.node } }, rules: { 'no-console': 'off' } },
)
