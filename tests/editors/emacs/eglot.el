;;; eglot.el --- attach, definition, a patch by a command  -*- lexical-binding: t -*-
;;; Code:

(package-initialize)
(require 'eglot)

(setq eglot-sync-connect 30
      eglot-connect-timeout 30
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil
      create-lockfiles nil)
(add-to-list 'eglot-server-programs '(python-mode . ("tandem" "lsp")))

(defun call-tandem (tool arguments)
  "Call TOOL with ARGUMENTS, a plist, and answer its result."
  ;; What was typed is told after a pause, and a tool sees what was told.
  (eglot--signal-textDocument/didChange)
  (jsonrpc-request (eglot-current-server) :workspace/executeCommand
                   (list :command (concat "tandem." tool) :arguments (vector arguments))))

(defun must-be (what found wanted)
  "Fail with WHAT unless FOUND is WANTED."
  (unless (equal found wanted)
    (error "%s: %S instead of %S" what found wanted)))

(with-current-buffer (find-file-noselect "a.py")
  (apply #'eglot--connect (eglot--guess-contact))
  (eglot--maybe-activate-editing-mode)
  (must-be "attached" (and (eglot-current-server) t) t)
  (goto-char (point-max))
  (search-backward "f(")
  (let ((place (car (xref-backend-definitions 'eglot "f"))))
    (must-be "definition" (xref-location-line (xref-item-location place)) 1))
  (goto-char (point-min))
  (insert "# unsaved\n")
  (let ((result (call-tandem "apply_edit"
                             '(:path "a.py" :old_text "return 1" :new_text "return 2"))))
    (must-be "changed" (plist-get result :changed) t))
  (let ((text "# unsaved\ndef f():\n    return 2\n\n\nf()\n"))
    (must-be "the buffer" (buffer-string) text)
    (must-be "the server" (plist-get (call-tandem "read_file" '(:path "a.py")) :content) text))
  (primitive-undo 1 buffer-undo-list)
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot-current-server)))
(message "SCENARIO PASSED with eglot in Emacs %s" emacs-version)
;;; eglot.el ends here
